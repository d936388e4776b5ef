/**
 * What `browser.py` puts into the shell's page before anything else runs there.
 *
 *     bench.painted     when a text of the transcript was first painted, by the browser's own entry
 *     bench.peak        the most that the heap held whenever it was looked at
 *     bench.open(...)   a history page through the shell's modules, as a client would show it
 *     bench.scroll(...) to the start of the transcript, page after page
 *
 * Moments are milliseconds since the navigation began.
 */
(() => {
  const bench = { painted: 0, peak: 0, marks: {} };
  globalThis.bench = bench;

  const look = () => {
    bench.peak = Math.max(bench.peak, performance.memory.usedJSHeapSize);
  };
  setInterval(look, 1);

  bench.held = () => {
    gc();
    gc();
    return performance.memory.usedJSHeapSize;
  };

  // The shell parses its answers out of our sight, but for this.
  for (const name of ["json", "text", "arrayBuffer"]) {
    const read = Response.prototype[name];
    Response.prototype[name] = async function () {
      const value = await read.call(this);
      look();
      return value;
    };
  }

  // Texts are timed from when they are put into the document, before they are painted.
  new MutationObserver((changes) => {
    look();
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) {
        if (!(node instanceof Element) || !node.closest(".blocks")) continue;
        for (const each of [node, ...node.querySelectorAll("p, pre, bdi")]) {
          each.setAttribute("elementtiming", "text");
        }
      }
    }
  }).observe(document, { childList: true, subtree: true });
  new PerformanceObserver((list) => {
    for (const { renderTime } of list.getEntries()) {
      if (renderTime && (!bench.painted || renderTime < bench.painted)) bench.painted = renderTime;
    }
  }).observe({ type: "element", buffered: true });

  /** Grows with each answer, and is another number while one is waited for. */
  bench.awaited = () => {
    const come = performance.getEntriesByType("resource").length;
    return document.querySelector(".busy") ? come + Math.random() : come;
  };

  /** The bytes of answers, and of the page's own files. */
  bench.sizes = () => {
    const sizes = { encoded: 0, decoded: 0, files: 0 };
    const [document] = performance.getEntriesByType("navigation");
    for (const entry of [document, ...performance.getEntriesByType("resource")]) {
      const { pathname } = new URL(entry.name);
      if (pathname === "/" || pathname.startsWith("/shell/")) {
        sizes.files += entry.encodedBodySize;
      } else {
        sizes.encoded += entry.encodedBodySize;
        sizes.decoded += entry.decodedBodySize;
      }
    }
    return sizes;
  };

  /** What the fold shows, as the updates of a load's answer. */
  const updatesOf = (nodes) =>
    nodes.flatMap(({ turn, step, blocks }) =>
      blocks.map(({ kind, text, callId, name }, number) => {
        const _meta = { "qwen.session.recordId": `${turn}:${step}:${number}` };
        if (kind === "tool-call") {
          return { sessionUpdate: "tool_call", toolCallId: callId, title: name, _meta };
        }
        const sessionUpdate = kind === "text" ? "agent_message_chunk" : "agent_thought_chunk";
        return { sessionUpdate, content: { type: "text", text }, _meta };
      }),
    );

  /** A box like the shell's own, over it. */
  const boxes = (element) => {
    const [older, blocks, newer] = ["row", "blocks", "row"].map((name) => element("div", name));
    const scroller = element("div", "transcript", element("div", "column", older, blocks, newer));
    Object.assign(scroller.style, { position: "absolute", inset: 0, background: "var(--page)" });
    document.getElementById("main").append(scroller);
    return { scroller, blocks, older, newer, act: () => {}, moved: () => {} };
  };

  /**
   * Fetch, parse, validate, fold and show; what a client keeps, it keeps: records and blocks.
   * @param {string} path
   * @param {string} form
   */
  bench.open = async (path, form) => {
    const modules = ["history/forms", "history/window", "fold/assistant", "ui/dom"];
    modules.push("ui/transcript_list", "transcript/browsing_view", "session");
    const loaded = await Promise.all(modules.map((name) => import(`/shell/${name}.js`)));
    const { FORMS, HistoryWindow, foldAssistant, element, TranscriptList, BrowsingView, BOUNDS } =
      Object.assign({}, ...loaded);
    let before = performance.now();
    const done = (name) => {
      look();
      const now = performance.now();
      bench.marks[name] = now - before;
      before = now;
    };
    const response = await fetch(path);
    if (!response.ok) throw new Error(await response.text());
    const data = new Uint8Array(await response.arrayBuffer());
    done("fetch");
    const { parse, validate } = FORMS.get(form);
    const parsed = parse(data);
    done("parse");
    const page = validate(parsed);
    done("validate");
    const window = new HistoryWindow("transport");
    window.open();
    window.receive(window.takeRequests()[0], page);
    const { chat } = foldAssistant(window.inputs());
    done("fold");
    const view = new BrowsingView("transport", BOUNDS);
    view.open();
    const events = updatesOf(chat).map((data) => ({ type: "session_update", data }));
    view.receive(view.takeRequests()[0], { compactedReplay: events, historyHasMore: true });
    new TranscriptList(boxes(element)).draw(view);
    done("show");
    bench.kept = { window, view };
  };

  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

  /**
   * Scroll to the first record; what was seen on the way.
   * @param {number} every turns between two looks at the heap
   */
  bench.scroll = async (every) => {
    const scroller = document.getElementById("transcript");
    const articles = document.getElementById("blocks").children;
    const turn = () => Number(articles[0].dataset.record.slice(1)) >> 1;
    const told = { heap: [], blocks: 0, nodes: 0, drift: 0, pages: 0 };
    let next = Math.ceil(turn() / every) * every;
    const note = () => {
      told.blocks = Math.max(told.blocks, articles.length);
      told.nodes = Math.max(told.nodes, document.getElementsByTagName("*").length);
      if (turn() > next) return;
      told.heap.push([next, bench.held()]);
      next -= every;
    };
    note();
    while (articles[0].dataset.record !== "r0") {
      const first = articles[0];
      scroller.scrollTop = 137;
      const top = scroller.getBoundingClientRect().top;
      const read = [...articles].find((each) => each.getBoundingClientRect().bottom > top + 1);
      const place = read.getBoundingClientRect().top;
      while (articles[0] === first) await frame();
      told.drift = Math.max(told.drift, Math.abs(read.getBoundingClientRect().top - place));
      told.pages += 1;
      note();
    }
    return told;
  };
})();
