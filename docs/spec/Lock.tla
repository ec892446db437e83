-------------------------------- MODULE Lock --------------------------------
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS Clients, Slow, Limits, Ttl, PlaceTtl, Margin, Drift, Reserve, Grain, Ticks, Grants, Underway, Deletions

VARIABLES doc, stable, clock, off, net, client, latest, robbed, did

vars == <<doc, stable, clock, off, net, client, latest, robbed, did>>
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b

-----------------------------------------------------------------------------
Nothing == [holders |-> <<>>, queue |-> <<>>, fence |-> 0]

Alive(e) == e.left > 0
Living(s) == SelectSeq(s, Alive)
Place(s, t) == CHOOSE i \in DOMAIN s : s[i].token = t
Has(s, t) == \E i \in DOMAIN s : s[i].token = t
Without(s, t) == SelectSeq(s, LAMBDA e : e.token # t)
Ahead(s, t) == IF Has(s, t) THEN SubSeq(s, 1, Place(s, t) - 1) ELSE s
Begun(s, t, ttl) == [i \in DOMAIN s |-> IF s[i].token = t THEN [s[i] EXCEPT !.left = ttl] ELSE s[i]]

Admitted(limit, holders, ahead) ==
    \A l \in {limit} \cup {holders[i].limit : i \in DOMAIN holders} \cup {ahead[i].limit : i \in DOMAIN ahead} :
        Len(holders) + Len(ahead) < l

NextFence == Max(doc.fence + 1, (clock + off) * Grain)
GrantFence(m) == IF doc.fence > 0 /\ doc.fence + m.reserve < NextFence THEN NextFence - m.reserve ELSE NextFence

Claim(m) ==
    LET holders == Living(doc.holders)
        line == Living(doc.queue)
        others == Without(line, m.token)
        holder == [token |-> m.token, limit |-> m.limit, fence |-> GrantFence(m), left |-> Ttl]
        waiter == [token |-> m.token, limit |-> m.limit, left |-> PlaceTtl]
        fast == m.first /\ m.limit = 1
    IN  IF fast /\ (holders # <<>> \/ line # <<>>)
        THEN doc
        ELSE IF Has(holders, m.token)
        THEN [doc EXCEPT !.holders = Begun(holders, m.token, Ttl), !.queue = others]
        ELSE IF Admitted(m.limit, holders, Ahead(line, m.token))
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

-----------------------------------------------------------------------------
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

Old == Ttl - Margin
None == Old + 1
Asked(k, m) == IF m.op = "claim" THEN [k EXCEPT !.st = "asks", !.asked = 0] ELSE k

\* in an action, after doc'
Answer(m) ==
    LET granted == m.op = "claim" /\ Has(Living(doc'.holders), m.token)
        holder == doc'.holders[Place(doc'.holders, m.token)]
    IN  [to |-> m.op, token |-> m.token, age |-> m.age,
         yes |-> granted \/ (m.op = "renew" /\ Has(doc.holders, m.token)),
         fence |-> IF granted THEN holder.fence ELSE 0,
         last |-> IF granted THEN IF m.limit = 1 THEN doc'.fence ELSE holder.fence ELSE 0]

Done(k) == [k EXCEPT !.st = "over", !.asked = None, !.left = 0, !.fence = 0, !.last = 0]

Heard(k, a) ==
    LET left == Ttl - Margin - a.age
    IN  CASE a.to = "claim" /\ k.st = "asks" /\ k.asked = a.age ->
                IF a.yes /\ left > 0
                THEN [k EXCEPT !.st = "holds", !.asked = None, !.left = left, !.grant = a.fence, !.fence = a.fence, !.last = a.last]
                ELSE [k EXCEPT !.asked = None]
          [] a.to = "renew" /\ k.st \in {"holds", "rests"} ->
                IF a.yes THEN [k EXCEPT !.left = Max(@, left)] ELSE Done(k)
          [] OTHER -> k

-----------------------------------------------------------------------------
Init ==
    /\ doc = Nothing /\ stable = Nothing
    /\ clock = 1 /\ off = 0
    /\ net = {}
    /\ client \in [Clients -> {[st |-> "new", limit |-> l, asked |-> None, left |-> 0, grant |-> 0, fence |-> 0,
                                last |-> 0] : l \in Limits}]
    /\ latest = [token |-> "", fence |-> 0, last |-> 0]
    /\ robbed = {}
    /\ did = [op |-> "start"]

StoreSame == UNCHANGED <<doc, stable, off, latest, robbed>>
Local == StoreSame /\ UNCHANGED clock /\ did' = [op |-> "local"]

NewGrant(m) == m.op = "claim" /\ Has(Living(doc'.holders), m.token) /\ ~Has(Living(doc.holders), m.token)

Execute(m) ==
    /\ doc' = Effect(m)
    /\ stable' = IF ByMajority(m) THEN doc' ELSE stable
    /\ latest' = IF NewGrant(m)
                 THEN [token |-> m.token, fence |-> doc'.holders[Len(doc'.holders)].fence, last |-> doc'.fence]
                 ELSE latest
    /\ did' = m
    /\ UNCHANGED <<clock, off, robbed>>

RoundTrip(m) ==
    /\ Execute(m)
    /\ client' = [client EXCEPT ![m.token] = Heard(Asked(@, m), Answer(m))]
    /\ UNCHANGED net

Post(m) ==
    /\ m.token \in Slow /\ Cardinality(net) < Underway
    /\ m \notin net /\ net' = net \cup {m}
    /\ client' = [client EXCEPT ![m.token] = Asked(@, m)]
    /\ Local

ExecuteLate(m) ==
    /\ Execute(m)
    /\ net' = (net \ {m}) \cup {a \in {Answer(m)} : a.yes \/ a.to = "renew"}
    /\ UNCHANGED client

HearLate(a) ==
    /\ net' = net \ {a}
    /\ client' = [client EXCEPT ![a.token] = Heard(@, a)]
    /\ Local

Lose(m) == net' = net \ {m} /\ UNCHANGED client /\ Local

Rest(c) == Is(c, {"holds"}) /\ client[c].fence < client[c].last /\ client' = [client EXCEPT ![c].st = "rests"]
    /\ UNCHANGED net /\ Local
Resume(c) == Is(c, {"rests"}) /\ client' = [client EXCEPT ![c].st = "holds", ![c].fence = @ + 1]
    /\ UNCHANGED net /\ Local
Over(c) == Is(c, {"asks", "holds", "rests"}) /\ client' = [client EXCEPT ![c] = Done(@)]
    /\ UNCHANGED net /\ Local

Older(s, by) == [i \in DOMAIN s |-> [s[i] EXCEPT !.left = Max(@ - by, 0)]]
Aged(d, by) == [d EXCEPT !.holders = Older(@, by), !.queue = Older(@, by)]

Pass ==
    /\ clock < Ticks
    /\ clock' = IF Grain > 0 THEN clock + 1 ELSE clock
    /\ net' = {IF "to" \in DOMAIN m \/ m.op \in {"claim", "renew"} THEN [m EXCEPT !.age = Min(@ + 1, Old)] ELSE m : m \in net}
    /\ client' = [c \in Clients |->
                    LET k == client[c] IN
                    IF k.st \in {"holds", "rests"} /\ k.left = 1 THEN Done(k)
                    ELSE [k EXCEPT !.left = Max(@ - 1, 0), !.asked = IF @ = None THEN None ELSE Min(@ + 1, Old)]]
    /\ UNCHANGED <<off, latest>>

Tick ==
    /\ Pass
    /\ doc' = Aged(doc, 1) /\ stable' = Aged(stable, 1)
    /\ did' = [op |-> "tick"]
    /\ UNCHANGED robbed

Delete ==
    /\ Deletions /\ doc # Nothing
    /\ doc' = Nothing /\ stable' = Nothing
    /\ robbed' = robbed \cup {doc.holders[i].token : i \in DOMAIN doc.holders}
    /\ Pass
    /\ did' = [op |-> "delete"]

Failover ==
    /\ \E step \in 0..(Drift - off) :
        /\ doc' = Aged(stable, step) /\ stable' = Aged(stable, step)
        /\ off' = off + step
        /\ did' = [op |-> "failover", step |-> step]
    /\ <<doc', off'>> # <<doc, off>>
    /\ UNCHANGED <<clock, net, client, latest, robbed>>

Next ==
    \/ \E c \in Clients : Rest(c) \/ Resume(c) \/ Over(c) \/ \E m \in Requests(c) : RoundTrip(m) \/ Post(m)
    \/ \E m \in net : Lose(m) \/ IF "to" \in DOMAIN m THEN HearLate(m) ELSE ExecuteLate(m)
    \/ Tick \/ Delete \/ Failover

Spec == Init /\ [][Next]_vars

Bound == doc.fence <= Grants

Traces == {doc.holders[i].token : i \in DOMAIN doc.holders} \cup {stable.holders[i].token : i \in DOMAIN stable.holders}
    \cup {m.token : m \in net}
Blank(c) == IF Is(c, {"over"}) /\ c \notin Traces THEN [client[c] EXCEPT !.grant = 0] ELSE client[c]
View == <<doc, stable, clock, off, net, robbed, [c \in Clients |-> Blank(c)],
          IF latest.token \in Traces THEN latest ELSE [latest EXCEPT !.token = "", !.fence = 0]>>

Symmetry == Permutations(Clients \ Slow)

-----------------------------------------------------------------------------
Believers == {c \in Clients \ robbed : Is(c, {"holds"})}

OneHolder == \A c \in Believers : Cardinality(Believers) <= client[c].limit

StandsInDocument == \A c \in Clients \ robbed : Is(c, {"holds", "rests"}) =>
    \E i \in DOMAIN doc.holders : LET h == doc.holders[i] IN h.token = c /\ h.fence = client[c].grant /\ Alive(h)

WithinLimits == LET h == Living(doc.holders) IN \A i \in DOMAIN h : Len(h) <= h[i].limit

Executed == did'.op \in {"claim", "renew", "release", "prove", "refresh", "leave"}

Entries(d, t) == {e \in {d.holders[i] : i \in DOMAIN d.holders} \cup {d.queue[i] : i \in DOMAIN d.queue} : e.token = t}
NoGhost == [][Executed /\ did' \notin net /\ Is(did'.token, {"over"}) =>
                 Entries(doc', did'.token) \subseteq Entries(doc, did'.token)]_vars

FenceRises == [][latest' # latest => latest'.fence > latest.last]_vars

NotPassed == [][latest' # latest =>
    LET line == Living(doc.queue) IN
    \A i \in DOMAIN Ahead(line, did'.token) :
        Admitted(line[i].limit, Living(doc'.holders), Ahead(Living(doc'.queue), line[i].token))]_vars

ProofHolds == [][did'.op = "prove" /\ doc' # doc /\ client[did'.token].limit = 1 => latest.token = did'.token /\ latest.fence = did'.fence]_vars

LossIsLearnt == [][did'.op = "renew" /\ Is(did'.token, {"holds"}) /\ Has(doc.holders, did'.token) =>
    doc.holders[Place(doc.holders, did'.token)].fence = client[did'.token].grant]_vars
=============================================================================
