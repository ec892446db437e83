package io.mongolock.test.embedded;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * The variables that an expression can see: the document, the statement's time and the
 * user's variables. Immutable.
 *
 * @param root the document, {@code $$ROOT}
 * @param time the time of the statement
 * @param innermost the user's variable that was bound last
 */
record Variables(Document root, StatementTime time, @Nullable Binding innermost) {

	Variables(Document root, StatementTime time) {
		this(root, time, null);
	}

	Variables with(String name, @Nullable Object value) {
		return new Variables(this.root, this.time, new Binding(name, value, this.innermost));
	}

	@Nullable Object get(String name) {
		for (Binding binding = this.innermost; binding != null; binding = binding.outer()) {
			if (binding.name().equals(name)) {
				return binding.value();
			}
		}
		// The parser refuses undefined variables
		throw new IllegalStateException("Variable '" + name + "' is not bound");
	}

	/**
	 * One variable, with its outer variables.
	 *
	 * @param name the name without dollar signs
	 * @param value the value, possibly missing
	 * @param outer the variable bound before this one
	 */
	record Binding(String name, @Nullable Object value, @Nullable Binding outer) {
	}

}
