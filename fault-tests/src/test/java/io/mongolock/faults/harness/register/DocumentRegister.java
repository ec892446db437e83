package io.mongolock.faults.harness.register;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A document under a lock as a register with a fence: the highest fence that it saw, and
 * the id of the last write, which was built on the one before. Immutable.
 */
record DocumentRegister(long fence, String last) {

	static final DocumentRegister NEW = new DocumentRegister(0, "");

	@Override
	public String toString() {
		return "'" + this.last + "', fence " + this.fence;
	}

	/**
	 * A read, by one whose fence the document has seen.
	 */
	record Read(long fence, String last, long calledNanos, long returnedNanos) implements Operation<DocumentRegister> {

		@Override
		public @Nullable DocumentRegister apply(DocumentRegister state) {
			return (state.last.equals(this.last)) ? new DocumentRegister(Math.max(this.fence, state.fence), this.last)
					: null;
		}

		@Override
		public String toString() {
			return "read of '" + this.last + "' by fence " + this.fence;
		}

	}

	/**
	 * A guarded write, which was accepted.
	 *
	 * @param before the last write that its writer knew
	 */
	record Written(long fence, String before, String id, long calledNanos,
			long returnedNanos) implements Operation<DocumentRegister> {

		@Override
		public @Nullable DocumentRegister apply(DocumentRegister state) {
			return (this.fence >= state.fence && state.last.equals(this.before))
					? new DocumentRegister(this.fence, this.id) : null;
		}

		@Override
		public String toString() {
			return "write of '" + this.id + "' after '" + this.before + "' by fence " + this.fence;
		}

	}

	/**
	 * The last read of all, when nobody writes any more: the last write, and all before.
	 *
	 * @param chain the writes that led to the last one, if all are known
	 */
	record Shown(List<String> ids, List<String> chain) implements Operation<DocumentRegister> {

		@Override
		public long calledNanos() {
			return NEVER - 1;
		}

		@Override
		public long returnedNanos() {
			return NEVER - 1;
		}

		@Override
		public @Nullable DocumentRegister apply(DocumentRegister state) {
			String last = (this.ids.isEmpty()) ? "" : this.ids.get(this.ids.size() - 1);
			return (state.last.equals(last) && this.ids.equals(this.chain)) ? state : null;
		}

		@Override
		public String toString() {
			return "the end, which shows " + this.ids + " and not " + this.chain;
		}

	}

}
