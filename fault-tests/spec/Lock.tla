-------------------------------- MODULE Lock --------------------------------
(* One lock: what each statement makes of its document, what clients do, and what may go wrong. README.md says how to *)
(* read it. In short: /\ and \/ are "and" and "or"; x' is x after the step; [r EXCEPT !.f = v] is r with another f,   *)
(* and @ its old value there; <<a, b>> is a list; [f |-> v] a record; a \in S, \cup, \ and \subseteq are of sets.     *)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS Clients, Slow,                  \* who asks for the lock, once each; whose messages may be late or lost
          Limits,                         \* 1 is exclusive, n a semaphore, 9 shared
          Ttl, PlaceTtl, Margin, Drift,   \* in ticks; Drift is by how much the server's clock may step ahead
          Stays,                          \* for how long a place stays in the queue when it holds up nobody any more
          Reserve, Grain,                 \* fences set aside by a grant; fences per tick of the clock, 0 if it does not count
          Ticks, Grants, Underway,        \* bounds of what is searched: ticks (if Grain > 0), fences, late messages at a time
          Deletions                       \* whether somebody deletes the document

VARIABLES doc, stable,       \* the document as the primary has it, and as the majority does
          clock, off,        \* ticks since the start; how many more the server's clock shows
          net,               \* requests and answers underway
          client,            \* what each client knows
          latest, robbed,    \* only to judge by: the latest grant; whose entries were deleted
          did                \* only to be read: the statement that was executed

vars == <<doc, stable, clock, off, net, client, latest, robbed, did>>
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b

---------------------------------- (* The document and its statements *) ----------------------------------
(* An entry has "left", the ticks that it has to live: the server stores renewedAt and ttl and compares with $$NOW.   *)
(* A place with less than one holds up nobody, and is its waiter's again if that comes back in time.                  *)
Nothing == [holders |-> <<>>, queue |-> <<>>, fence |-> 0]
Alive(e) == e.left > 0
Living(s) == SelectSeq(s, Alive)
Staying(s) == SelectSeq(s, LAMBDA e : e.left > -Stays)
Has(s, t) == \E i \in DOMAIN s : s[i].token = t
Place(s, t) == CHOOSE i \in DOMAIN s : s[i].token = t
Without(s, t) == SelectSeq(s, LAMBDA e : e.token # t)
Ahead(s, t) == IF Has(s, t) THEN SubSeq(s, 1, Place(s, t) - 1) ELSE s
Begun(s, t, ttl) == [i \in DOMAIN s |-> IF s[i].token = t THEN [s[i] EXCEPT !.left = ttl] ELSE s[i]]

(* The rule: holders and those ahead are fewer than the smallest limit of all of them and of the claim.               *)
Admitted(limit, holders, ahead) ==
    \A l \in {limit} \cup {holders[i].limit : i \in DOMAIN holders} \cup {ahead[i].limit : i \in DOMAIN ahead} :
        Len(holders) + Len(ahead) < l

(* One more than the last, and at least the clock, from which a deleted document begins anew. What is set aside lies  *)
(* below: between the last fence, if that is known, and the clock, as far as there is room.                           *)
NextFence == Max(doc.fence + 1, (clock + off) * Grain)
GrantFence(m) == IF doc.fence > 0 THEN Max(NextFence - m.reserve, doc.fence + 1) ELSE NextFence

Claim(m) ==
    LET holders == Living(doc.holders)
        line == Staying(doc.queue)
        others == Without(line, m.token)
        holder == [token |-> m.token, limit |-> m.limit, fence |-> GrantFence(m), left |-> Ttl]
        waiter == [token |-> m.token, limit |-> m.limit, left |-> PlaceTtl]
    IN  IF m.first /\ m.limit = 1 /\ holders # <<>>
        THEN doc                                                            \* the quick statement looks no further
        ELSE IF Has(holders, m.token)
        THEN [doc EXCEPT !.holders = Begun(holders, m.token, Ttl), !.queue = others]     \* asked twice, granted once
        ELSE IF Admitted(m.limit, holders, Living(Ahead(line, m.token)))
        THEN [holders |-> Append(holders, holder), queue |-> others, fence |-> NextFence]
        ELSE IF m.place
        THEN [doc EXCEPT !.queue = IF Has(line, m.token) THEN Begun(line, m.token, PlaceTtl) ELSE Append(line, waiter)]
        ELSE doc

Effect(m) ==
    CASE m.op = "claim"   -> Claim(m)
      [] m.op = "renew"   -> [doc EXCEPT !.holders = Begun(@, m.token, Ttl)]
      [] m.op = "release" -> [doc EXCEPT !.holders = Without(@, m.token)]
      [] m.op = "prove"   -> [doc EXCEPT !.holders = SelectSeq(@, LAMBDA e : e.token # m.token \/ e.fence # m.fence)]
      [] m.op = "refresh" -> [doc EXCEPT !.queue = Begun(@, m.token, PlaceTtl)]
      [] m.op = "leave"   -> [doc EXCEPT !.queue = Without(@, m.token)]

ByMajority(m) == m.op \in {"claim", "renew", "prove"}

---------------------------------- (* What a client asks, and what it learns *) ----------------------------------
(* It is new, asks, holds, rests (nobody holds the lock, but its lease is kept: before a hand-over, or idle), or is    *)
(* over, which is also what a crash makes of it: one that is over need not send anything.                             *)
Is(c, states) == client[c].st \in states

Request(op, c) == [op |-> op, token |-> c, age |-> 0]
ClaimOf(c, first, place) ==
    Request("claim", c) @@ [limit |-> client[c].limit, first |-> first, place |-> place,
                            reserve |-> IF client[c].limit = 1 /\ ~first THEN Reserve ELSE 0]

Requests(c) ==
    CASE Is(c, {"new"})   -> {ClaimOf(c, TRUE, FALSE)}
      [] Is(c, {"asks"})  -> {ClaimOf(c, FALSE, FALSE), ClaimOf(c, FALSE, TRUE), Request("refresh", c)}
      [] Is(c, {"holds"}) -> {Request("renew", c)}
      [] Is(c, {"over"})  -> {Request("release", c), Request("leave", c)}
                             \cup {Request("prove", c) @@ [fence |-> f] : f \in {client[c].grant} \ {0}}
      [] OTHER            -> {}

Old == Ttl - Margin          \* the age from which an answer is of no use
None == Old + 1
Asked(k, m) == IF m.op = "claim" THEN [k EXCEPT !.st = "asks", !.asked = 0] ELSE k
Done(k) == [k EXCEPT !.st = "over", !.asked = None, !.left = 0, !.fence = 0, !.last = 0]

Answer(m) ==                 \* with the document after it
    LET granted == m.op = "claim" /\ Has(Living(doc'.holders), m.token)
        holder == doc'.holders[Place(doc'.holders, m.token)]
    IN  [to |-> m.op, token |-> m.token, age |-> m.age,
         yes |-> granted \/ (m.op = "renew" /\ Has(doc.holders, m.token)),
         fence |-> IF granted THEN holder.fence ELSE 0,
         last |-> IF granted THEN IF m.limit = 1 THEN doc'.fence ELSE holder.fence ELSE 0]

Heard(k, a) ==               \* a lease counts from before its request left, and ends one margin early
    LET left == Ttl - Margin - a.age
    IN  CASE a.to = "claim" /\ k.st = "asks" /\ k.asked = a.age ->
                IF a.yes /\ left > 0
                THEN [k EXCEPT !.st = "holds", !.asked = None, !.left = left,
                               !.grant = a.fence, !.fence = a.fence, !.last = a.last]
                ELSE [k EXCEPT !.asked = None]
          [] a.to = "renew" /\ k.st \in {"holds", "rests"} ->
                IF a.yes THEN [k EXCEPT !.left = Max(@, left)] ELSE Done(k)
          [] OTHER -> k

---------------------------------- (* Steps *) ----------------------------------
Init ==
    /\ doc = Nothing /\ stable = Nothing /\ clock = 1 /\ off = 0 /\ net = {}
    /\ client \in [Clients -> {[st |-> "new", limit |-> l, asked |-> None, left |-> 0, grant |-> 0, fence |-> 0,
                                last |-> 0] : l \in Limits}]
    /\ latest = [token |-> "", fence |-> 0, last |-> 0] /\ robbed = {} /\ did = [op |-> "start"]

StoreSame == UNCHANGED <<doc, stable, clock, off, latest, robbed>> /\ did' = [op |-> "local"]
NewGrant(m) == m.op = "claim" /\ Has(Living(doc'.holders), m.token) /\ ~Has(Living(doc.holders), m.token)

Execute(m) ==
    /\ doc' = Effect(m)
    /\ stable' = IF ByMajority(m) THEN doc' ELSE stable          \* which confirms all before it as well
    /\ latest' = IF NewGrant(m)
                 THEN [token |-> m.token, fence |-> doc'.holders[Len(doc'.holders)].fence, last |-> doc'.fence]
                 ELSE latest
    /\ did' = m /\ UNCHANGED <<clock, off, robbed>>

(* A request is answered at once, or stays underway: then it may be executed at any time later, or never, and its     *)
(* answer may come at any time later, or never. Meanwhile its client may do whatever it likes.                        *)
RoundTrip(m) == Execute(m) /\ client' = [client EXCEPT ![m.token] = Heard(Asked(@, m), Answer(m))] /\ UNCHANGED net
Post(m) ==
    /\ m.token \in Slow /\ Cardinality(net) < Underway /\ m \notin net
    /\ net' = net \cup {m} /\ client' = [client EXCEPT ![m.token] = Asked(@, m)] /\ StoreSame
ExecuteLate(m) ==
    Execute(m) /\ net' = (net \ {m}) \cup {a \in {Answer(m)} : a.yes \/ a.to = "renew"} /\ UNCHANGED client
HearLate(a) == net' = net \ {a} /\ client' = [client EXCEPT ![a.token] = Heard(@, a)] /\ StoreSame
Lose(m) == net' = net \ {m} /\ UNCHANGED client /\ StoreSame

Become(c, k) == client' = [client EXCEPT ![c] = k] /\ UNCHANGED net /\ StoreSame
Rest(c) == Is(c, {"holds"}) /\ client[c].fence < client[c].last /\ Become(c, [client[c] EXCEPT !.st = "rests"])
Resume(c) == Is(c, {"rests"}) /\ Become(c, [client[c] EXCEPT !.st = "holds", !.fence = @ + 1])
Over(c) == Is(c, {"asks", "holds", "rests"}) /\ Become(c, Done(client[c]))

(* Time passes for all. A client that does nothing meanwhile stands still. Its own clock ends its lease.              *)
Pass ==
    /\ clock < Ticks /\ clock' = IF Grain > 0 THEN clock + 1 ELSE clock
    /\ net' = {IF "to" \in DOMAIN m \/ m.op \in {"claim", "renew"} THEN [m EXCEPT !.age = Min(@ + 1, Old)] ELSE m : m \in net}
    /\ client' = [c \in Clients |->
                    LET k == client[c] IN
                    IF k.st \in {"holds", "rests"} /\ k.left = 1 THEN Done(k)
                    ELSE [k EXCEPT !.left = Max(@ - 1, 0), !.asked = IF @ = None THEN None ELSE Min(@ + 1, Old)]]
    /\ UNCHANGED <<off, latest>>
Older(s, by, least) == [i \in DOMAIN s |-> [s[i] EXCEPT !.left = Max(@ - by, least)]]
Aged(d, by) == [d EXCEPT !.holders = Older(@, by, 0), !.queue = Older(@, by, -Stays)]
Tick == Pass /\ doc' = Aged(doc, 1) /\ stable' = Aged(stable, 1) /\ did' = [op |-> "tick"] /\ UNCHANGED robbed
Delete ==
    /\ Deletions /\ doc # Nothing /\ doc' = Nothing /\ stable' = Nothing
    /\ robbed' = robbed \cup {doc.holders[i].token : i \in DOMAIN doc.holders}
    /\ Pass /\ did' = [op |-> "delete"]
Failover ==                  \* forgets what only the old primary knew; the clock of the new one may be ahead
    /\ \E step \in 0..(Drift - off) :
        /\ doc' = Aged(stable, step) /\ stable' = Aged(stable, step)
        /\ off' = off + step /\ did' = [op |-> "failover", step |-> step]
    /\ <<doc', off'>> # <<doc, off>> /\ UNCHANGED <<clock, net, client, latest, robbed>>

Next ==
    \/ \E c \in Clients : Rest(c) \/ Resume(c) \/ Over(c) \/ \E m \in Requests(c) : RoundTrip(m) \/ Post(m)
    \/ \E m \in net : Lose(m) \/ IF "to" \in DOMAIN m THEN HearLate(m) ELSE ExecuteLate(m)
    \/ Tick \/ Delete \/ Failover
Spec == Init /\ [][Next]_vars

---------------------------------- (* Promises: what is true of each state, and of each step *) ----------------------------------
Believers == {c \in Clients \ robbed : Is(c, {"holds"})}
OneHolder == \A c \in Believers : Cardinality(Believers) <= client[c].limit
StandsInDocument == \A c \in Clients \ robbed : Is(c, {"holds", "rests"}) =>       \* so a loss is known before another grant
    \E i \in DOMAIN doc.holders : LET h == doc.holders[i] IN h.token = c /\ h.fence = client[c].grant /\ Alive(h)
WithinLimits == LET h == Living(doc.holders) IN \A i \in DOMAIN h : Len(h) <= h[i].limit
InBlock == \A c \in Clients : client[c].fence <= client[c].last
FenceRises == [][latest' # latest => latest'.fence > latest.last]_vars             \* and no block of fences overlaps another
NotPassed == [][latest' # latest =>                                 \* those ahead could have been granted the lock as well
    LET line == Living(Ahead(Staying(doc.queue), did'.token)) IN \A i \in DOMAIN line :
        Admitted(line[i].limit, Living(doc'.holders), Ahead(Living(doc'.queue), line[i].token))]_vars
Entries(d, t) == {e \in {d.holders[i] : i \in DOMAIN d.holders} \cup {d.queue[i] : i \in DOMAIN d.queue} : e.token = t}
NoGhost == [][did'.op \in {"claim", "renew", "release", "prove", "refresh", "leave"} =>      \* nothing but a late message
    (did' \notin net /\ Is(did'.token, {"over"}) =>                             \* lengthens the life of what nobody wants
        Entries(doc', did'.token) \subseteq Entries(doc, did'.token))]_vars
ProofHolds == [][did'.op = "prove" /\ doc' # doc /\ client[did'.token].limit = 1 =>          \* nobody was granted it since
    latest.token = did'.token /\ latest.fence = did'.fence]_vars
LossIsLearnt == [][did'.op = "renew" /\ Is(did'.token, {"holds"}) /\ Has(doc.holders, did'.token) =>    \* NOT true, see README
    doc.holders[Place(doc.holders, did'.token)].fence = client[did'.token].grant]_vars

---------------------------------- (* To search less: states that differ only in what can no longer matter are one *) ------
Bound == doc.fence <= Grants
Traces == {doc.holders[i].token : i \in DOMAIN doc.holders} \cup {stable.holders[i].token : i \in DOMAIN stable.holders}
    \cup {m.token : m \in net}
Blank(c) == IF Is(c, {"over"}) /\ c \notin Traces THEN [client[c] EXCEPT !.grant = 0] ELSE client[c]
View == <<doc, stable, clock, off, net, robbed, [c \in Clients |-> Blank(c)],
          IF latest.token \in Traces THEN latest ELSE [latest EXCEPT !.token = "", !.fence = 0]>>
Symmetry == Permutations(Slow) \cup Permutations(Clients \ Slow)
=============================================================================
