"""Planted bugs: one line of the real source each. A simulation that misses one of them has a hole."""

from tests.testkit.mutation import Mutation

PACKAGES = ("libs", "services")

JOURNAL = (
    Mutation(
        "no-dedupe",
        "if command.id in ring or command.id in lane.flying:",
        "if False:",
        "journal 13: a repeated command is decided again",
    ),
    Mutation(
        "chain-link-skipped",
        "    if commit.prev != head.prev:",
        "    if False:",
        "journal 3: a commit counts whatever it follows",
    ),
    Mutation(
        "marks-not-looked-at",
        "            if why is None:\n                found.append(record)",
        "            if why != 0:\n                found.append(record)",
        "journal 22: whoever reaches the broker is believed",
    ),
    Mutation(
        "seals-not-looked-at",
        "foreign = machine.seals.why_not((topic, partition), record) if record.value else None",
        "foreign = None",
        "journal 24: a start goes on from a snapshot that has a true mark and no seal",
    ),
    Mutation(
        "unread-verdict-trusted",
        "if base is not None and base == self.position.next:",
        "if base is not None:",
        "journal 7: acknowledged is taken for valid, foreign records between or not",
    ),
    Mutation(
        "answered-before-verdict",
        "                self._line.put(outcome)\n",
        "                self._line.put(outcome); self._answer_from_commit(outcome)\n",
        "journal 10: the decision is answered, not the folded commit",
    ),
    Mutation(
        "offsets-committed-early",
        "return next(iter(self._open), self._read_to)",
        "return self._read_to",
        "journal 12: an offset is committed before its command has a verdict",
    ),
    Mutation(
        "offsets-before-answers",
        "            await self._out.flushed()  #",
        "            #",
        "journal 12: an offset is committed before the answer is out",
    ),
    Mutation(
        "position-believed",
        "is_true = marks.why_foreign((POSITIONS, partition), record) is None",
        "is_true = True",
        "journal 12: whoever may join the group says from where commands and events are read",
    ),
    Mutation(
        "highest-not-looked-at",
        "return min(decided.offset + 1, await reader.since(decided.time - BACK_MS))",
        "return end",
        "journal 12: without a true position an owner begins at the end, not behind what the journal has decided",
    ),
    Mutation(
        "highest-of-manifest-forgotten",
        "            fold.decided = Decided(manifest.decided, manifest.decided_time)\n",
        "            fold.decided = Decided(manifest.decided + 1_000, manifest.decided_time + 10**9)\n",
        "journal 12: what a start takes from the manifest as decided is more than was",
    ),
    Mutation(
        "state-kept-after-unknown",
        "            lane.flying.clear()\n            lane.frozen = False\n",
        "            lane.frozen = False\n",
        "journal 11: after an unknown outcome it goes on from optimistic state",
    ),
    Mutation(
        "void-command-forgotten",
        "            lane.void.append(lost.open)\n",
        "            self._open.pop(lost.open.offset, None)\n",
        "journal 8: a command whose commit lost is not decided again",
    ),
    Mutation(
        "decided-in-wrong-order",
        "merged = sorted([*commands, *self.waiting], key=lambda command: command.offset)",
        "merged = [*self.waiting, *commands]",
        "journal 8: void commands are decided again behind newer ones",
    ),
    Mutation(
        "nothing-expires",
        "if is_expired(command.id, now, self.machine.horizon_ms):",
        "if False:",
        "journal 13: ids are forgotten by age, and old commands are decided all the same",
    ),
    Mutation(
        "ids-forgotten-early",
        "head.ring.evict(head.time, horizon_ms)",
        "head.ring.evict(head.time, horizon_ms // 20)",
        "journal 13: an id leaves the ring before its time",
    ),
    Mutation(
        "answered-from-flight",
        "return Repeated(answer) if confirmed and answer else Wait()",
        "return Repeated(answer or next(Answer(f.commit.verdict, f.commit.version, f.commit.reason, f.commit.rule,"
        " f.commit.detail) for f in (lane.flying[command.id],)))",
        "journal 9: a repeated command is answered from a commit that is still in flight",
    ),
    Mutation(
        "ring-lost-on-restore",
        "Ring(snapshot.ring), dict",
        "Ring(), dict",
        "journal 16: a restored owner knows no command any more",
    ),
    Mutation(
        "quota-forgotten-on-restore",
        "self._held = Counter(answer.by for answer in self._answers.values())",
        "self._held = Counter()",
        "journal 13: a restored owner does not know whose the remembered commands are",
    ),
    Mutation(
        "reserve-for-anybody",
        "    if 100 * (remembered + 1) > _ROOM[standing] * cap:",
        "    if remembered + 1 > cap:",
        "journal 13: what is kept for players in seats, staff and the house is given to anybody",
    ),
    Mutation(
        "quota-blind-in-flight",
        "        own += sum(flight.commit.principal == name for flight in lane.flying.values())\n",
        "",
        "journal 13: of a burst nothing counts before it is confirmed",
    ),
    Mutation(
        "seats-count-for-nothing",
        'if by.kind != "player" or state.sitter_of(by.id) is not None or state.reserved_by(by.id) is not None:',
        "if True:",
        "journal 13: strangers get the room that is kept for players in seats",
    ),
    Mutation(
        "snapshot-claims-too-much",
        "upto=max(fold.position.next, fold.covered.get(stream, 0)),",
        "upto=fold.position.next + 3,",
        "journal 16: a snapshot says that it covers what it has not folded",
    ),
    Mutation(
        "manifest-claims-too-much",
        "fold.position.next), last)",
        "fold.position.next + 2), last)",
        "journal 16: the manifest is ahead of what is in snapshots",
    ),
    Mutation(
        "waiting-streams-forgotten",
        "next(iter(waiting.values()), fold.position.next)",
        "fold.position.next",
        "journal 16: the manifest stands above the first commit that no snapshot covers",
    ),
    Mutation(
        "left-out-stream-forgotten",
        "self._changed.items() if stream not in due}\n        last",
        "self._changed.items() if stream not in due and stream not in self._left_out}\n        last",
        "journal 16: the manifest stands above the commits of a stream that no snapshot holds",
    ),
    Mutation(
        "given-up-round-out-of-order",
        "dict(sorted({**self._changed, **due}.items(), key=itemgetter(1)))",
        "{**due, **self._changed}",
        "journal 16: what a round that was given up had taken stands before older commits that no snapshot covers",
    ),
    Mutation(
        "stale-snapshot-trusted",
        "            if place[1] < last:",
        "            if False:",
        "journal 17 (H5): a reader starts at the manifest, however old a snapshot is",
    ),
    Mutation(
        "sets-mixed",
        'return f"{self._run}.{self._sets}"',
        'return "set"',
        "journal 16: pieces of two manifests take each other's places",
    ),
    Mutation(
        "missing-piece-overlooked",
        "        if raw is None:\n            return None\n",
        "        if raw is None:\n            return Piece(self._journal_name, of, number, {})\n",
        "journal 17: what changed since is trusted without what it changed",
    ),
    Mutation(
        "mark-ahead-of-a-piece",
        "await self._put_piece(head.journal_name, self._since, shelf)",
        "pass",
        "journal 16: what leaves the manifest's head is in no piece of it",
    ),
    Mutation(
        "parts-under-one-name",
        'of = f"{self._run}.{self._sets}"',
        'of = "set"',
        "journal 16: the parts of a snapshot take the places of an older one's",
    ),
    Mutation(
        "older-parts-taken-away-first",
        "        parts = self._cutter.cut(taken.stream, taken.upto, taken.whole)\n",
        "        parts = self._cutter.cut(taken.stream, taken.upto, taken.whole)\n"
        "        self._cutter.stands(taken.stream)\n"
        "        self._line.put(*(OutRecord(self.snapshots, k, None, (), self.fold.partition)"
        " for k in self._cutter.over()))\n",
        "journal 16: the parts of an older snapshot go before those of the new one are there",
    ),
    Mutation(
        "best-parts-taken-for-over",
        "lambda stream: place[0] if",
        "lambda stream: 10**9 if",
        "journal 16: the parts that a start goes on from go before others stand",
    ),
    Mutation(
        "older-parts-never-taken-away",
        "self._over |= self._lying.pop(stream, set()) - newest",
        "self._lying.pop(stream, set())",
        "journal 16: the parts of older snapshots stay for ever",
    ),
    Mutation(
        "parts-of-before-never-taken-away",
        "return position, parts.left(lambda",
        "return position, Left(); parts.left(lambda",
        "journal 16: the parts that owners before have left stay for ever",
    ),
    Mutation(
        "put-by-with-an-old-snapshot",
        "        if stream in self._changed or stream in self._due:\n            return False\n"
        "        place = self._shelf.place(stream)\n"
        "        whole = place is not None and place[1] == self.fold.heads[stream].last_offset\n",
        "        whole = self._shelf.place(stream) is not None\n",
        "journal 16: a stream leaves memory that has moved on since its snapshot",
    ),
    Mutation(
        "put-by-in-a-round",
        "if stream in self._changed or stream in self._due:",
        "if False:",
        "journal 16: a stream leaves memory while a round of snapshots is to take it",
    ),
    Mutation(
        "loaded-without-its-ring",
        "return Woken(head_of(snapshot), machine.decode_state",
        "return Woken(head_of(msgspec.structs.replace(snapshot, ring=())), machine.decode_state",
        "journal 13: a stream that is loaded from disk knows no command any more",
    ),
    Mutation(
        "failed-send-overlooked",
        "await (await self._publisher.send(batch))",
        "await asyncio.wait([await self._publisher.send(batch)])",
        "journal 19: what failed to be sent is not sent again",
    ),
    Mutation(
        "snapshot-before-acknowledgement",
        "            await self._line.flushed()  # journal 18: only of what is acknowledged\n",
        "            out = [OutRecord(self.snapshots, stream_key(t.stream), t.whole, (), partition) for t in taken]\n"
        "            out = [self._machine.seals.sealed(each) for each in out]\n"
        "            await asyncio.wait([await (await self._line._log.publisher()).send(out)])\n",
        "journal 18 (H6): a snapshot overtakes the public events that it covers",
    ),
    Mutation(
        "published-before-verdict",
        "                self._line.put(outcome)\n",
        "                self._line.put(outcome)\n"
        "                self._follower._line.put(*self.publish(outcome.commit, outcome.steps))\n",
        "journal 18: what is decided is public before the log has confirmed it",
    ),
    Mutation(
        "void-commit-published",
        "        if folded.valid:\n            self._follower",
        "        if True:\n            self._follower",
        "journal 18: what another owner's commit has beaten is public all the same",
    ),
    Mutation(
        "foreign-commit-unpublished",
        "        if folded.valid:\n            self._follower",
        "        if folded.valid and flight is not None:\n            self._follower",
        "journal 18: commits of others in between are folded and not published",
    ),
    Mutation(
        "resumed-without-publishing",
        "        if folded.valid:\n            self._follower",
        "        if folded.valid and self.ready.is_set():\n            self._follower",
        "journal 18: what is read between the manifest and the end of the log is not published",
    ),
    Mutation(
        "unconfirmed-state-kept",
        "                self._line.put(outcome)\n",
        "                self._line.put(outcome)\n                self._fold.states[lane.stream] = outcome.state\n",
        "journal 16 (H9): the state behind a snapshot is one that the log has not confirmed",
    ),
    Mutation(
        "other-state-than-written",
        "                Step(tip.version + number, kind, event, state)\n",
        "                Step(tip.version + number, kind, event, state if number % 2 else tip.state)\n",
        "journal 7: what was folded while deciding is not what the bytes replay to",
    ),
)

MONEY = (
    Mutation(
        "credited-twice",
        "_figures(account, command.returned, -brought)",
        "_figures(account, 2 * command.returned, -brought)",
        "a sitting comes home twice",
    ),
    Mutation(
        "reserve-released-twice",
        "_figures(account, reserve.amount, -freed)",
        "_figures(account, 2 * reserve.amount, -freed)",
        "a reserve is given back twice",
    ),
    Mutation(
        "reserve-never-ends",
        "        reserves=_without(account.reserves, reserves),\n",
        "        reserves=account.reserves,\n",
        "a reserve that has ended stays",
    ),
    Mutation(
        "overdrawn",
        "    if command.amount > account.available:  # pt-811-2015 8\n",
        "    if False:  # pt-811-2015 8\n",
        "a reserve takes an account below zero",
    ),
    Mutation(
        "wrong-amount-home",
        "returned=amount, settlement=event.id)",
        "returned=amount + 1, settlement=event.id)",
        "the policy sends home more than was on the table",
    ),
    Mutation(
        "escrow-counts-twice",
        "left = _left(state, command.currency) + command.amount\n            return [taken(events.ReserveNoted",
        "left = _left(state, command.currency) + 2 * command.amount\n            return [taken(events.ReserveNoted",
        "adr/0022: a table may send home twice what was brought there",
    ),
    Mutation(
        "escrow-never-lets-go",
        "    if answer or isinstance(command, commands.ReviewEscrow):\n",
        "    if False:\n",
        "adr/0022: what was claimed before it was covered waits until it is struck",
    ),
    Mutation(
        "home-not-taken-off",
        "[events.HomeCovered(**of, left=left - claim.amount)]",
        "[events.HomeCovered(**of, left=left)]",
        "adr/0022: what has gone home may go home once more",
    ),
    Mutation(
        "home-not-claimed",
        "    HomeAsked: when_home_asked,\n",
        "",
        "nobody tells the escrow what is to go home",
    ),
    Mutation(
        "release-forgotten",
        "    SeatReleased: when_seat_released,\n",
        "",
        "nobody tells the wallet that a seat was given up",
    ),
    Mutation(
        "booked-twice",
        "    if accepted is versions.Accepted.SEEN:\n",
        "    if accepted is versions.Accepted.SEEN and event.version < before.version:\n",
        "journal 20: the projector takes a repeated event for a new one",
    ),
    Mutation(
        "rake-booked-twice",
        'payment.net, "payment"',
        'payment.gross, "payment"',
        "the books pay out what the house has taken",
    ),
)

YEARS = (
    Mutation(
        "forgotten-id-accepted-again",
        "not account.forgotten <= at <= now + kept.ahead_ms:",
        "at > now + kept.ahead_ms:",
        "adr/0016: an id from before what the account remembers is taken for a new one",
    ),
    Mutation(
        "forgotten-before-its-time",
        "kept.least and now - account.since >= long:",
        "kept.least:",
        "adr/0016: sittings are forgotten as soon as others have ended",
    ),
    Mutation(
        "forgotten-a-generation-early",
        "former=now_former,",
        "former=Ended(),",
        "adr/0016: what an event says is kept is forgotten with the rest",
    ),
    Mutation(
        "forgotten-on-restore",
        "return _STATE_FORMAT + _STATE_ENCODER.encode(state)",
        "return _STATE_FORMAT + _STATE_ENCODER.encode("
        "msgspec.structs.replace(state, former=type(state.former)()) if hasattr(state, 'former') else state)",
        "journal 16: a snapshot holds one generation of sittings of two",
    ),
    Mutation(
        "forgotten-payment-made-again",
        "return at < account.timed_forgotten\n\n\ndef _name_of",
        "return False\n\n\ndef _name_of",
        "adr/0016: what answers an event of long ago is taken for new once it is forgotten",
    ),
    Mutation(
        "references-forgotten-before-their-time",
        "kept.references_least and now - account.timed_since >= long:",
        "kept.references_least:",
        "adr/0016: payments are forgotten as soon as others have been made",
    ),
    Mutation(
        "references-forgotten-a-generation-early",
        "former_timed=account.timed)",
        "former_timed=Timed())",
        "adr/0016: payments that an event says are kept are forgotten with the rest",
    ),
    Mutation(
        "references-forgotten-on-restore",
        "return _STATE_FORMAT + _STATE_ENCODER.encode(state)",
        "return _STATE_FORMAT + _STATE_ENCODER.encode("
        "msgspec.structs.replace(state, former_timed=type(state.timed)()) if hasattr(state, 'timed') else state)",
        "journal 16: a snapshot holds one generation of payments of two",
    ),
    Mutation(
        "put-by-for-ever",
        "fold.asleep = lambda stream: woken(shelf, machine, stream)",
        "fold.asleep = lambda stream: None",
        "journal 16: a stream that was put by is taken for one that never was",
    ),
    Mutation(
        "moved-without-remembered-commands",
        "                assert whole is not None\n                assert covered is not None\n",
        "                whole = snapshot_record('', fold.partition, replace(snapshot_of(fold, stream), ring=())).value"
        "\n"
        "                assert whole is not None\n                assert covered is not None\n",
        "journal 23: a moved house knows no command any more",
    ),
    Mutation(
        "moved-without-refusals",
        "if folded.valid and folded.commit is not None:\n                    for event in",
        "if folded.valid and folded.commit is not None and folded.commit.verdict == 'accepted':\n"
        "                    for event in",
        "journal 23: a stream's chain misses a link in the moved house",
    ),
    Mutation(
        "moved-twice",
        "yield came, self._place(folded.commit.stream)",
        "yield came, self._place(folded.commit.stream); yield came, self._place(folded.commit.stream)",
        "journal 23: a partition's commits are copied twice",
    ),
    Mutation(
        "moved-with-what-was-void",
        "if folded.valid and folded.commit is not None:\n                    for event in",
        "if folded.commit is not None:\n                    for event in",
        "journal 23: commits that never counted are copied, too",
    ),
    Mutation(
        "moved-groups-at-the-end",
        "if came.partition < 0 or came.record.offset >= at.get(came.partition, 0):",
        "if False:",
        "journal 23: what nobody has come to in the old house is passed over in the new one",
    ),
    Mutation(
        "moved-groups-pass-what-others-have-not-read",
        "reached.setdefault((group, partition), record.offset)",
        "reached[group, partition] = record.offset",
        "journal 23: a group begins at the last record that it had not come to",
    ),
    Mutation(
        "moved-without-unpublished-events",
        "if _name(event.stream, event.version) in due:\n                        record",
        "if False:\n                        record",
        "journal 23: what was not yet published never is",
    ),
    Mutation(
        "kept-without-its-snapshots",
        """        self._at.execute("delete from checked where of not in""",
        """        self._at.execute("delete from shelf where stream in (select max(stream) from shelf)")
        self._at.execute("delete from checked where of not in""",
        "journal 16: what a kept shelf has checked outlasts a snapshot that it no longer holds",
    ),
    Mutation(
        "kept-of-another-house",
        '    house = b"%d/%d" % (names.incarnation, names.partitions)\n',
        '    house = b""\n',
        "journal 16: a house that was moved goes on from what was kept of the old one",
    ),
)
"""What comes of months: forgetting, putting by, moving to other partitions."""

GATEWAY = (
    Mutation(
        "answered-where-nobody-listens",
        "reply_to = listens_at(record.headers, partitions)",
        "reply_to = None",
        "journal 10: an answer lies in its stream's partition, wherever the gateway that asked listens",
    ),
    Mutation(
        "another's-cards-shown",
        "            if owner == player:\n",
        "            if owner:\n",
        "the gateway shows the first seat's cards to everybody",
    ),
    Mutation(
        "key-means-another-command",
        "    return at\n",
        "    return now\n",
        "GAM-2: after a restart of the gateway a key is a new command",
        within="services/gateway",
    ),
)

TABLE = (
    Mutation(
        "deck-redrawn-on-resume",
        "        return game_of(state.rules).with_deck(state, deck)\n",
        "        deck = type(deck)(deck.cards[::-1] + deck._hidden[len(deck.cards) :])\n"
        "        return game_of(state.rules).with_deck(state, deck)\n",
        "RNG-12: a restored hand goes on with another deck",
    ),
    Mutation(
        "worst-hand-wins",
        "best = min([strengths[seat] for seat in pot.eligible])",
        "best = max([strengths[seat] for seat in pot.eligible])",
        "pt-811-2015 63: the weakest of those with a claim is paid",
        "services/table/domain/games/poker",
    ),
    Mutation(
        "rake-rounded-up",
        "    due = part_of(amount, rules.rake.bp)",
        "    due = -(-amount * rules.rake.bp // 10_000)",
        "pt-811-2015 17.a: a cent more than the rate",
        "services/table/domain/games/poker",
    ),
    Mutation(
        "acted-for-early",
        "not story.is_due(late):\n        return\n    turn = awaited(story.state)\n    if not ran_out(",
        "late is None:\n        return\n    turn = awaited(story.state)\n    if story.is_due(late) and not ran_out(",
        "pt-811-2015 43: any knock of the timer ends a player's time",
        "services/table/domain/games/poker",
    ),
    Mutation(
        "too-late-counts",
        "    if story.is_due(late_at(state)) and rules.acts_for_the_absent:",
        "    if False:",
        "pt-811-2015 43: a decision after the deadline stands",
        "services/table/domain/games/poker",
    ),
    Mutation(
        "woken-as-found-for-ever",
        "if as_found and moved_at is not None",
        "if moved_at is not None",
        "a process whose clock is ahead of the log takes what moves after its start for left lying",
        "libs/journal",
    ),
    Mutation(
        "seat-lapses-early",
        "return reserved.until + 1",
        "return reserved.until - 1_000",
        "pt-811-2015 8: a seat is given away before the promised time",
    ),
    Mutation(
        "hand-number-reused",
        "hand=state.hands + 1,",
        "hand=max(state.hands, 1),",
        "hand numbers are not dense",
        "services/table/domain/games/poker",
    ),
    Mutation(
        "another's-cards-at-showdown",
        "cards=shown(hand, player.hole),\n            category",
        "cards=shown(hand, next(iter(hand.players.values())).hole),\n            category",
        "pt-811-2015 2.d: the showdown opens the cards of somebody else, folded ones as well",
        "services/table/domain/games/poker",
    ),
    Mutation(
        "salts-published",
        "deck_root=deck_tree(deck, leaves).root.hex(),",
        "deck_root=deck.salt_secret.hex(),",
        "SEC: the secret behind the commitments is public",
        "services/table/domain/games/poker",
    ),
    Mutation(
        "refunded-twice",
        "stack + player.staked)",
        "stack + 2 * player.staked)",
        "pt-811-2015 72: a void hand pays back more than was put in",
        "services/table/domain/games/poker",
    ),
    Mutation(
        "public-versions-repeat",
        "            version=version,\n            type=kind,",
        "            version=commit.base + 1,\n            type=kind,",
        "journal 20: two public events of a commit have one version",
    ),
    Mutation(
        "wrong-cards-dealt-out",
        "for position in deal.positions))",
        "for position in dealt[0].positions))",
        "every player is sent the first seat's cards",
    ),
    Mutation(
        "cards-in-the-log",
        "        box = seal(gateway_key.reveal(), cards.encode(), open_deal.associated_data)\n",
        "        box = seal(gateway_key.reveal(), cards.encode(), open_deal.associated_data);"
        " __import__('logging').getLogger('table').info('dealt %s', cards)\n",
        "SEC: a card is logged",
    ),
    Mutation(
        "cards-sent-in-clear",
        "sealed=b64encode(box).decode()",
        "sealed=cards",
        "SEC: own cards lie on a topic unsealed",
    ),
)

HOUSE = (
    Mutation(
        "coup-paid-twice",
        '"stack": state.seats[stakes.seat].stack + credited if',
        '"stack": state.seats[stakes.seat].stack + 2 * credited if',
        "pt-812-2015 22: a coup pays what it credits twice over",
    ),
    Mutation(
        "shoe-dealt-again-on-resume",
        "return replace(state, shoe=replace(state.in_use, deck=deck))",
        "return replace(state, shoe=replace(state.in_use, deck=deck, next_position=0))",
        "pt-812-2015 FP-1: a restored shoe is dealt from its first card again",
    ),
    Mutation(
        "second-bet-kept-when-void",
        "return Refund(stakes.seat, stakes.player, stakes.reservation, stakes.staked, stack + stakes.staked)",
        "staked = stakes.staked - stakes.on.get('bet', 0)\n"
        "    return Refund(stakes.seat, stakes.player, stakes.reservation, staked, stack + staked)",
        "pt-803-2015 33: a void round keeps the second bets",
    ),
    Mutation(
        "stakes-of-void-coup-halved",
        "    refunds = [_refund(state, each) for each in stakes]\n",
        "    refunds = [_refund(state, each) for each in stakes]\n"
        "    refunds = [__import__('msgspec').structs.replace(each, amount=each.amount // 2,"
        " stack=each.stack - each.amount + each.amount // 2) for each in refunds]\n",
        "pt-812-2015 29: a void coup gives half of the stakes back",
    ),
    Mutation(
        "commission-forgotten",
        "        return part_of(winnings, _FIVE_PERCENT_BP)\n",
        "        return 0\n",
        "pt-812-2015 26.a: Banca wins without commission",
    ),
    Mutation(
        "bank-dropped-below-limit",
        "refused: Rejected | None = story.game.why_not(rules, left) if rules is not None else None",
        "refused: Rejected | None = None",
        "pt-812-2015 15: staff take out what the worst case needs",
    ),
    Mutation(
        "bets-above-the-bank",
        "return state.bank >= max(1, rules.worst_case or 0)",
        "return True",
        "pt-812-2015 15: betting opens though the bank can't pay the worst case",
    ),
    Mutation(
        "own-request-approved",
        "    if same_person(change.by, story.by):\n",
        "    if False:\n",
        "one of the staff alone moves money of a bank",
    ),
    Mutation(
        "undealt-card-published",
        "taken(ShoeStarted, dealing, fresh, ",
        "taken(ShoeStarted, dealing, fresh, "
        "generator=__import__('libs.cards.card', fromlist=['x']).name_of(fresh.shoe.cards[0]), ",
        "SEC: a public event names a card of the shoe that nobody has seen",
    ),
    Mutation(
        "dealer-shown-when-all-fold",
        "    if deciding.playing:\n        _show(story, deciding)\n",
        "    _show(story, deciding)\n",
        "pt-803-2015 24: the dealer's cards are turned up though nobody plays",
    ),
    Mutation(
        "bets-after-the-close",
        'return playing is not None and playing.phase == "betting" and (playing.until is None or now < playing.until)',
        'return playing is not None and playing.phase == "betting"',
        "pt-812-2015 27: a stake counts after the deadline",
    ),
    Mutation(
        "closed-for-early",
        "and story.is_due(close_due(story.state)):\n        close(story)\n",
        "and close_due(story.state) is not None:\n        close(story)\n",
        "pt-812-2015 27: any knock of the timer closes the betting",
    ),
    Mutation(
        "round-number-reused",
        "round=state.last_round + 1,",
        "round=max(state.last_round, 1),",
        "round numbers are not dense",
        "services/table/domain/games/banked",
    ),
    Mutation(
        "payout-booked-net",
        'result.credited, "payout"',
        'max(result.net, 0), "payout"',
        "the books pay out winnings without the stake",
    ),
    Mutation(
        "demo-money-reserved-real",
        "account = account_id(fact.player, fact.currency, kind_of(fact.currency))",
        'account = account_id(fact.player, "EUR")',
        "pt-811-2015 74, 75: a seat at a table of play money is paid for with real money",
    ),
)

TOURNAMENTS = (
    Mutation(
        "uneven-tables-dealt",
        "            and size - min(sizes) <= 1\n            and number not in surplus\n",
        "",
        "pt-810-2015 48: hands begin at tables that differ by two or more",
    ),
    Mutation(
        "dealt-without-the-moved",
        "return table.between_hands and self.moving.keys().isdisjoint(table.entries.values())",
        "return table.between_hands",
        "pt-810-2015 48: a hand begins while somebody is on the way to the table",
    ),
    Mutation(
        "rounds-not-waited-for",
        "        ready = []  # all wait for all (49)\n",
        "        pass\n",
        "pt-810-2015 49: in hand-for-hand tables go on without the others",
    ),
    Mutation(
        "released-beyond-the-level",
        "    until = clock.moment(change) if change is not None else None\n",
        "    until = None\n",
        "pt-810-2015 46: a hand that was released in one level begins in the next",
    ),
    Mutation(
        "leftover-cents-kept",
        "    amounts[0] += pool - sum(amounts)\n",
        "",
        "pt-810-2015 34: what rounding leaves of the pool is nobody's prize",
    ),
    Mutation(
        "chips-left-behind",
        '*play.places[entry], play.stacks[entry], play.away.get(entry, ""))\n',
        '*play.places[entry], play.stacks[entry] // 1_000 * 1_000, play.away.get(entry, ""))\n',
        "pt-810-2015 48: who is moved loses chips on the way",
    ),
    Mutation(
        "tickets-shrink",
        "value=tickets.value, origin=origin, tickets=new",
        "value=tickets.value - 100, origin=origin, tickets=new",
        "pt-810-2015 32, FP-17: a ticket is worth less than the full buy-in that it is for",
    ),
    Mutation(
        "paid-on-one-persons-word",
        'if story.state.held_up and why in ("prize", "bounty"):',
        "if False:",
        "pt-810-2015 FP-16: prizes are credited while a disqualification waits for a second person",
    ),
)

IN_TOURNAMENTS = tuple(bug.name for bug in TOURNAMENTS)
"""Planted in the simulated tournaments alone (`tests/simulation/tournaments`)."""
ALSO_IN_THE_BANK = frozenset(bug.name for bug in JOURNAL) - {"seats-count-for-nothing"}
"""Rules of the journal are also tried on its own toy accounts (`tests/journal/simulation`): less to do, more rivals."""
BUGS = {bug.name: bug for bug in (*JOURNAL, *MONEY, *YEARS, *GATEWAY, *TABLE, *HOUSE, *TOURNAMENTS)}
