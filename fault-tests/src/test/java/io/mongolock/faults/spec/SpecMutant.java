package io.mongolock.faults.spec;

import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A specification that is broken on purpose: one piece of the module, or of the
 * configuration, says something else.
 *
 * @param configuration by which its states are bounded
 * @param complaint which promise must be seen broken
 */
record SpecMutant(String name, String configuration, String from, String to, String complaint) {

	static List<SpecMutant> all() {
		return List.of(new SpecMutant("no margin", "Lock.cfg", "Margin = 1", "Margin = 0", "StandsInDocument"),
				new SpecMutant("lease counted from the answer", "Late.cfg", "LET left == Ttl - Margin - a.age",
						"LET left == Ttl - Margin", "StandsInDocument"),
				new SpecMutant("a late renewal revives", "Late.cfg",
						"k.st \\in {\"holds\", \"rests\"} ->\n                IF a.yes THEN [k EXCEPT !.left",
						"k.st # \"new\" ->\n                IF a.yes THEN [k EXCEPT !.st = \"holds\", !.left",
						"StandsInDocument"),
				new SpecMutant("renewal as an upsert", "Late.cfg", "!.holders = Begun(@, m.token, Ttl)]",
						"!.holders = IF Has(@, m.token) THEN Begun(@, m.token, Ttl) ELSE Append(@, "
								+ "[token |-> m.token, limit |-> 1, fence |-> 0, left |-> Ttl])]",
						"WithinLimits"),
				new SpecMutant("release of any holder", "Lock.cfg",
						"m.op = \"release\" -> [doc EXCEPT !.holders = Without(@, m.token)]",
						"m.op = \"release\" -> [doc EXCEPT !.holders = <<>>]", "StandsInDocument"),
				new SpecMutant("claims not confirmed by the majority", "Lock.cfg",
						"ByMajority(m) == m.op \\in {\"claim\", ", "ByMajority(m) == m.op \\in {", "StandsInDocument"),
				new SpecMutant("renewals after the end", "Lock.cfg", "{Request(\"release\", c), ",
						"{Request(\"renew\", c), Request(\"release\", c), ", "NoGhost"),
				new SpecMutant("those ahead not counted", "Lock.cfg",
						"Admitted(m.limit, holders, Living(Ahead(line, m.token)))", "Admitted(m.limit, holders, <<>>)",
						"NotPassed"),
				new SpecMutant("limit of the claim alone", "Shared.cfg",
						"    \\A l \\in {limit} \\cup {holders[i].limit : i \\in DOMAIN holders} \\cup",
						"    \\A l \\in {limit} \\cup", "OneHolder"),
				new SpecMutant("proof without the fence", "Late.cfg",
						"SelectSeq(@, LAMBDA e : e.token # m.token \\/ e.fence # m.fence)", "Without(@, m.token)",
						"ProofHolds"),
				new SpecMutant("fence not seeded by the clock", "Deleted.cfg",
						"NextFence == Max(doc.fence + 1, (clock + off) * Grain)", "NextFence == doc.fence + 1",
						"FenceRises"),
				new SpecMutant("fences set aside ahead of the clock", "Deleted.cfg",
						"queue |-> others, fence |-> NextFence]", "queue |-> others, fence |-> holder.fence + Reserve]",
						"FenceRises"),
				new SpecMutant("hand-over beyond what is set aside", "Deleted.cfg", "client[c].fence < client[c].last",
						"client[c].fence <= client[c].last", "InBlock"),
				// Not a mutant: what a renewal by the token alone cannot tell
				new SpecMutant("late claim hides the deletion", "Deleted.cfg", "ProofHolds NoGhost",
						"ProofHolds NoGhost LossIsLearnt", "LossIsLearnt"));
	}

	String output(Tlc tlc) throws IOException {
		String module = Tlc.text("Lock.tla");
		String bounds = Tlc.text(this.configuration);
		if (occurrences(module) + occurrences(bounds) != 1) {
			throw new IllegalStateException("The mutant '" + this.name + "' does not fit any more");
		}
		return tlc.check(module.replace(this.from, this.to), bounds.replace(this.from, this.to), 1);
	}

	private int occurrences(String text) {
		return text.split(Pattern.quote(this.from), -1).length - 1;
	}

	@Override
	public String toString() {
		return this.name;
	}

}
