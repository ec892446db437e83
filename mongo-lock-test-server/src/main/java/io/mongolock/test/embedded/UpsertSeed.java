package io.mongolock.test.embedded;

import java.util.List;

import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * The document from which an upsert starts. It has the fields that the filter fixes by
 * equality.
 */
final class UpsertSeed {

	private UpsertSeed() {
	}

	static Document of(Document filter) {
		Document seed = new Document();
		addTo(seed, filter);
		return seed;
	}

	private static void addTo(Document seed, Document filter) {
		filter.forEach((path, condition) -> {
			if (path.equals("$and") && condition instanceof List<?> all) {
				all.forEach((part) -> addTo(seed, (Document) part));
			}
			else if (!path.startsWith("$")) {
				addTo(seed, path, condition);
			}
		});
	}

	private static void addTo(Document seed, String path, @Nullable Object condition) {
		if (!(condition instanceof Document operators) || operators.isEmpty()
				|| !operators.keySet().iterator().next().startsWith("$")) {
			Utils.changeSubdocumentValue(seed, path, condition);
		}
		else if (operators.containsKey("$eq")) {
			Utils.changeSubdocumentValue(seed, path, operators.get("$eq"));
		}
	}

}
