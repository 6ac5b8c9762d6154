"""A landing that is proposed: merge, prove the result, push it to a branch of its own, ask people to merge it.

Each step can be done again by another run: the commit is written down before it is pushed, the branch moves by
compare-and-swap from what this board put there, and a pull request that is there is found.
"""

from folkmoot.core.commands import ENGINE, RecordLanding
from folkmoot.core.proposals.orders import MeetOthersWork, PausePool, RecordProposal
from folkmoot.core.proposals.proposal import Proposal, Taken
from folkmoot.core.work import Touched
from folkmoot.engine.run_context import RunContext
from folkmoot.errors import Invalid, MootError, Refused, Unavailable
from folkmoot.worker.forge.port import POOL, ForgeAway, ForgeLimited, Pulled, Wish
from folkmoot.worker.forge.wording import description, title_of
from folkmoot.worker.git.refs import listed
from folkmoot.worker.git.remote.remote import CARRY_SECONDS, Remote, RemoteAway, RemoteRefused
from folkmoot.worker.git.repository import Merged, Repository
from folkmoot.worker.jobs.landing import LandingJob, words_of
from folkmoot.worker.tools import Tools
from folkmoot.worker.workspaces import GitWorkspaces, author_of

PUSHED = "refs/moot/pushed/"  # behind it the item and the run that was to push a commit for it
TRIES = 5
REST_SECONDS = 60.0  # after which it is looked again whether the forge may be asked


def check_rest(tools: Tools) -> None:
    """While the forge is not to be asked, nobody does."""
    held = next((one for one in tools.application.queries.pauses().pauses if one.what.endswith(POOL)), None)
    if held is not None:
        raise ForgeLimited(REST_SECONDS, held.why)


def theirs_in(proposal: Proposal | None) -> list[Taken]:
    """What others put on its branch that belongs to it: what was taken in, and what a person has just said to."""
    if proposal is None:
        return []
    if not proposal.taking:
        return proposal.taken
    return [*proposal.taken, Taken(commit=proposal.taking, onto=proposal.commit)]


class ProposalJob(LandingJob):
    def merge(self, workspaces: GitWorkspaces, run_context: RunContext, tip: str | None) -> Merged | None:
        """As a landing merges; with what somebody else put on its branch, if a person said to take it in; and on top of
        what was pushed before, so that a branch that people look at is never rewritten."""
        repository, before, intent = workspaces.repository, run_context.proposal, run_context.landing
        head = run_context.head
        assert head is not None
        if intent is not None and (intent.old, intent.head) == (tip, head) and repository.kept(intent.new):
            return Merged(intent.new, repository.tree_of(intent.new), forward=True)  # the run before came no further
        if self._is_replaced(repository, run_context):
            return None
        words, author = words_of(run_context), author_of("folkmoot")
        for one in theirs_in(before):
            joined = repository.merge(head, one.commit, words, author)
            if joined.commit is None:
                self.conflict(workspaces, run_context, one.commit, joined)
                return None
            head = joined.commit
        merged = repository.merge(tip, head, words, author)
        if merged.commit is None or merged.tree is None:
            self.conflict(workspaces, run_context, tip, merged)
            return None
        if tip is not None and merged.tree == repository.tree_of(tip):
            return Merged(tip, merged.tree, forward=True)  # all of it is there already
        earlier = before.commit if before is not None and before.state in ("open", "changed") else None
        if earlier and repository.kept(earlier) and not repository.contains(merged.commit, earlier):
            commit = repository.commit(merged.tree, [merged.commit, earlier], words, author)
            return Merged(commit, merged.tree)
        return merged

    def _is_replaced(self, repository: Repository, run_context: RunContext) -> bool:
        """Have what is to be taken in here. True: something else is there by now, and a person is asked again."""
        before = run_context.proposal
        if before is None or all(repository.kept(one.commit) for one in theirs_in(before)):
            return False
        at = self._remote(repository).branch(before.branch)
        missing = next((one.commit for one in theirs_in(before) if not repository.kept(one.commit)), None)
        if missing is None:
            return False
        if at is None:
            words = "{branch} is gone, and with it {commit}, which was to be taken in"
            raise Unavailable(
                "commit_missing", words, "push it there again, or give the item up", before.branch, missing
            )
        self._met(before.branch, at)
        return True

    def touched(self, repository: Repository, run_context: RunContext, tip: str | None, commit: str) -> list[Touched]:
        """What a person put on the branch is not the item's change, as far as it is as they put it: its files were
        nobody's to allow."""
        found = repository.touched(tip, commit)
        theirs: dict[bytes, tuple[str, str]] = {}
        for one in theirs_in(run_context.proposal):
            fork = repository.fork(one.onto or run_context.head, one.commit)
            theirs |= {change.path: (change.mode, change.new) for change in repository.changes(fork, one.commit)}
        if not theirs:
            return found
        assert run_context.head is not None
        fork = repository.fork(tip, run_context.head)
        ours = {change.path for change in repository.changes(fork, run_context.head)}
        now = {change.path: (change.mode, change.new) for change in repository.changes(tip, commit)}
        spared = {path for path, put in theirs.items() if path not in ours or now.get(path) == put}
        return [one for one in found if one.path.encode("utf-8", "surrogateescape") not in spared]

    def move_target(self, workspaces: GitWorkspaces, run_context: RunContext, record: RecordLanding) -> bool:
        if record.new == record.old:
            note = f"all of it was on {run_context.target} already"
            self.landed(run_context, record.new, note, record.evidence, None)
            workspaces.forget_intent(self.item, self.run)
            return True
        self.step("move")
        repository, branch = workspaces.repository, self.flow.land.branch.replace("{item}", self.item)
        try:
            found = self._pushed(repository, self._remote(repository), branch, run_context, record.new)
            if found is not None:
                self._met(branch, found)
                return True
            self.tools.step("pushed", self.run)
            pulled = self._proposed(run_context, branch, record)
        except RemoteAway:
            raise
        except (Refused, Unavailable) as error:
            self.refused(error)
            return True
        self.tools.step("opened", self.run)
        self._recorded(pulled, branch, run_context, record)
        workspaces.forget_intent(self.item, self.run)
        return True

    def _remote(self, repository: Repository) -> Remote:
        remote = repository.base_now()
        if remote is None:
            raise Unavailable("flow_changed", "the flow proposes no work any more, since this landing began")
        return remote

    def _pushed(
        self, repository: Repository, remote: Remote, branch: str, run_context: RunContext, new: str
    ) -> str | None:
        """None: the branch is there. Else the commit of somebody else that is on it."""
        before = run_context.proposal
        pushed = listed(repository, f"{PUSHED}{self.item}/")
        ours = {commit for run, commit in pushed.items() if self._is_known(run)}
        ours |= {one for one in (before.commit, before.taking) if one} if before is not None else set()
        ours |= {run_context.landing.new} if run_context.landing is not None else set()
        repository.keep(f"{PUSHED}{self.item}/{self.run}", new)
        tries = 0
        while tries < TRIES:
            try:
                at = remote.where(branch)
                if at == new:
                    return None
                if at is not None and at not in ours:
                    return at
                try:
                    remote.swap(branch, at, new, CARRY_SECONDS)
                    return None
                except RemoteRefused:
                    if remote.where(branch) == at:
                        raise  # it has not moved: the remote does not want it
                tries += 1
            except RemoteAway as away:
                self.wait_for_remote(away)  # for a time of its own
        raise Unavailable("branch_unsteady", "{branch} kept moving while it was pushed", "", branch)

    def _is_known(self, run: str) -> bool:
        """A board that was set back knows nothing of the runs after that: what they pushed may be another item's."""
        try:
            return self.tools.application.queries.run_context(run).item == self.item
        except Invalid:
            return False

    def _met(self, branch: str, commit: str) -> None:
        met = MeetOthersWork(branch=branch, commit=commit)
        self.submit(lambda engine: engine.act(self.actor, met))
        self.timers.done = True
        self.became = f"{branch} holds what this board did not put there: a person is asked"
        self.tell("released", self.became)

    def _proposed(self, run_context: RunContext, branch: str, record: RecordLanding) -> Pulled:
        view = self.tools.application.queries.show(self.item)
        body = description(view, self.flow.agents, record.new, record.evidence)
        wish = Wish(
            branch=branch,
            base=run_context.target,
            title=title_of(run_context.title),
            body=body,
            draft=self.flow.land.draft,
        )
        engine = self.tools.application.engine
        while True:
            check_rest(self.tools)
            try:
                return self.tools.forge_of(self.flow).propose(wish)
            except ForgeLimited as limited:
                engine.on_board(ENGINE, PausePool(pool=POOL, seconds=limited.seconds, why=limited.details["why"]))
                raise
            except ForgeAway as away:
                self.wait_for_remote(away)

    def _recorded(self, pulled: Pulled, branch: str, run_context: RunContext, record: RecordLanding) -> None:
        proposal = Proposal(
            number=pulled.number,
            url=pulled.url,
            node=pulled.node,
            branch=branch,
            commit=record.new,
            tree=record.tree,
            onto=run_context.target,
            base=record.old,
            taken=theirs_in(run_context.proposal),
        )
        told = RecordProposal(proposal=proposal)
        self.step("report")
        try:
            self.submit(lambda engine: engine.act(self.actor, told))
        except MootError as error:
            if error.code != "stale_claim":
                raise
            self.timers.lost()
            return  # another run has the item: it finds the branch and the pull request
        self.timers.done = True
        self.became = f"proposed as {pulled.url}"
        self.tell("landed", self.became, good=True)
