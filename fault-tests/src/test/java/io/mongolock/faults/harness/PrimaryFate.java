package io.mongolock.faults.harness;

/**
 * What becomes of a primary, and with it of what it alone has executed.
 */
public enum PrimaryFate {

	STEPS_DOWN_AND_IS_ELECTED_AGAIN, STEPS_DOWN, DIES;

	/** Whether what it alone has is there afterwards; it is rolled back otherwise. */
	public boolean keeps() {
		return this == STEPS_DOWN_AND_IS_ELECTED_AGAIN;
	}

	/** Let it happen, connect all members again, and elect the next primary. */
	public SetMember befall(ScriptedSet set) {
		SetMember old = set.primary();
		if (this == DIES) {
			set.killPrimary();
		}
		else {
			set.stepDown();
		}
		set.heal();
		return (keeps()) ? set.elect(old) : set.elect();
	}

}
