"""TranscriptView against a model: whatever happens, it shows one stretch of the chain, whole."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from histbench.transcript.view import TranscriptView
from view_host import SESSION, Host

MAX_BLOCKS = 16


class Paging(RuleBasedStateMachine):
    """A host that grows, a network that loses, delays and doubles, and a reader."""

    def __init__(self):
        super().__init__()
        self.host = Host("uatsuat" * 5)
        self.view = TranscriptView(SESSION, page_size=4, max_blocks=MAX_BLOCKS)
        self.waiting = []
        self.settled = []
        self.delivered = 0
        self.stream_generation = -1
        self.view.open()
        self._answer(self.view.take_requests()[0], "good")

    @rule(kinds=st.text(st.sampled_from("uatsr"), min_size=1, max_size=6), told=st.booleans())
    def append(self, kinds, told):
        """The host's file grows, and the stream tells of it now or later."""
        self.host.kinds += kinds
        if told:
            self.stream(again=False)

    @rule()
    def open(self):
        """Begin, or begin anew."""
        self.view.open()

    @rule(automatic=st.booleans())
    def load_older(self, automatic):
        """Scroll up."""
        self.view.load_older(automatic=automatic)

    @rule(pages=st.integers(1, 4))
    def page_on(self, pages):
        """Scroll up, on a good network."""
        for _ in range(pages):
            if self.view.load_older():
                self._answer(self.view.take_requests()[0], "good")

    @rule(action=st.sampled_from(["follow", "retry", "pass_over"]))
    def act(self, action):
        """What else a reader may do."""
        getattr(self.view, action)()

    @precondition(lambda self: self.waiting or self.view.loading)
    @rule(data=st.data())
    def answer(self, data):
        """Some request is answered, refused or lost; others wait on."""
        self.waiting += self.view.take_requests()
        if self.waiting:
            request = self.waiting.pop(data.draw(st.integers(0, len(self.waiting) - 1)))
            fates = ["good", "good", "good", "good", "partial", "lost", "refused"]
            self._answer(request, data.draw(st.sampled_from(fates)))

    def _answer(self, request, fate):
        answer = self.host.answer(request)
        if answer is None or fate == "refused":
            self.view.fail(request, "invalid_transcript_cursor", status=400)
        elif fate == "lost":
            self.view.fail(request)
        else:
            changes = {"partial": True} if fate == "partial" else {}
            loaded = self.view.receive(request, answer | changes) and request.kind == "load"
            if loaded:
                self.delivered = answer["lastEventId"]
                self.stream_generation = self.view.generation
            self.settled.append((request, answer))

    @precondition(lambda self: self.settled)
    @rule(data=st.data())
    def answer_again(self, data):
        """An answer comes a second time, to whatever state there is now."""
        request, answer = data.draw(st.sampled_from(self.settled))
        before = self.view.blocks

        assert not self.view.receive(request, answer)
        assert self.view.blocks == before

    @rule(again=st.booleans())
    def stream(self, again):
        """The live stream brings what is new, and perhaps what is known."""
        start = max(0, self.delivered - 2) if again else self.delivered
        for place in range(start, len(self.host.kinds)):
            self.view.receive_updates(
                self.host.updates_of(place),
                last_event_id=place + 1,
                generation=self.stream_generation,
            )
        if self.view.state == "open":
            self.delivered = max(self.delivered, len(self.host.kinds))

    @rule()
    def forget_cursors(self):
        """The host's key changes."""
        self.host.cursors.clear()

    @precondition(lambda self: len(self.settled) % 8 == 7)
    @rule()
    def close(self):
        """The reader leaves, and comes back."""
        self.view.close()
        self.delivered = 0
        self.view.open()

    @invariant()
    def shows_one_stretch_of_whole_records(self):
        """From the boundary on, without a hole, each update once, in the order of the chain."""
        updates = [update for block in self.view.blocks for update in block.updates]
        if not updates:
            return
        first = int(self.view.boundary[1:])
        last = max(_place(update) for update in updates)
        expected = self.host.updates(first, last + 1)

        assert sorted(map(_place, updates)) == sorted(map(_place, expected))
        assert [_place(each) for each in updates if _is_chunk(each)] == [
            _place(each) for each in expected if _is_chunk(each)
        ]

    @invariant()
    def stays_within_its_bounds(self):
        """And its ordinals name one block each."""
        blocks = self.view.blocks

        assert len(blocks) <= MAX_BLOCKS
        assert len({block.ordinal for block in blocks}) == len(blocks)
        assert self.view.byte_size == sum(block.size for block in blocks)

    @invariant()
    def has_older_is_true(self):
        """No failure and no empty page makes a beginning."""
        if self.view.blocks and self.view.state == "open" and self.view.boundary != "r0":
            assert self.view.has_older


def _place(update):
    return int(update["_meta"]["qwen.session.recordId"][1:])


def _is_chunk(update):
    return update["sessionUpdate"].endswith("_chunk")


TestPaging = Paging.TestCase
TestPaging.settings = settings(max_examples=50, stateful_step_count=30)
