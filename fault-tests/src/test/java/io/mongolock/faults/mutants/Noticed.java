package io.mongolock.faults.mutants;

import java.util.List;

/**
 * The programs that notice the mutants, by name.
 */
public final class Noticed {

	private Noticed() {
	}

	/**
	 * The judges of each mutant.
	 */
	public static List<List<String>> all() {
		return Mutants.all().map((mutant) -> mutant.judges().stream().map(Judge::toString).toList()).toList();
	}

}
