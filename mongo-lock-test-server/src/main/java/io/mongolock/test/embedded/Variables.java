package io.mongolock.test.embedded;

import java.time.Instant;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * What an expression can see: the document, the statement's time and the user's
 * variables. Immutable.
 *
 * @param root the document, {@code $$ROOT}
 * @param now the time of the statement, {@code $$NOW}
 * @param innermost the user's variable bound last
 */
record Variables(Document root, Instant now, @Nullable Binding innermost) {

	Variables(Document root, Instant now) {
		this(root, now, null);
	}

	Variables withRoot(Document root) {
		return new Variables(root, this.now, this.innermost);
	}

	Variables with(String name, @Nullable Object value) {
		return new Variables(this.root, this.now, new Binding(name, value, this.innermost));
	}

	@Nullable Object get(String name) {
		for (Binding binding = this.innermost; binding != null; binding = binding.outer()) {
			if (binding.name().equals(name)) {
				return binding.value();
			}
		}
		// the parser lets no undefined variable through
		throw new IllegalStateException("Variable '" + name + "' is not bound");
	}

	/**
	 * One variable and the ones around it.
	 *
	 * @param name the name without dollar signs
	 * @param value the value, possibly missing
	 * @param outer the variable bound before this one
	 */
	record Binding(String name, @Nullable Object value, @Nullable Binding outer) {
	}

}
