package io.mongolock.documents;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;

/**
 * The documents of random programs: each write adds its mark to what it has seen.
 */
final class ProgramEntries {

	private ProgramEntries() {
	}

	static List<Integer> and(List<Integer> log, int mark) {
		List<Integer> longer = new ArrayList<>(log);
		longer.add(mark);
		return longer;
	}

	interface Entry {

		List<Integer> log();

		@Nullable Long version();

		String text();

		/**
		 * Change it.
		 * @param mark who does
		 * @return this, where it can be changed in place
		 */
		Entry with(int mark);

	}

	record Page(@Id String id, @Version @Nullable Long version, List<Integer> log, String text) implements Entry {

		@Override
		public Page with(int mark) {
			return new Page(this.id, this.version, and(this.log, mark), "text " + mark);
		}

	}

	static class Sheet implements Entry {

		@Id
		final String id;

		@Version
		@Nullable Long version;

		List<Integer> log;

		String text;

		Sheet(String id, List<Integer> log, String text) {
			this.id = id;
			this.log = log;
			this.text = text;
		}

		@Override
		public List<Integer> log() {
			return this.log;
		}

		@Override
		public @Nullable Long version() {
			return this.version;
		}

		@Override
		public String text() {
			return this.text;
		}

		@Override
		public Sheet with(int mark) {
			this.log = and(this.log, mark);
			this.text = "text " + mark;
			return this;
		}

	}

	/**
	 * Is copied by a callback before each save.
	 */
	@LockGuarded
	static class Card extends Sheet {

		Card(String id, List<Integer> log, String text) {
			super(id, log, text);
		}

		Card copy() {
			Card copy = new Card(this.id, this.log, this.text);
			copy.version = this.version;
			return copy;
		}

	}

}
