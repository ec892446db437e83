package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.bson.BsonEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * The difference between two versions of a document as MongoDB 5.0 logs it. The log
 * decides how a change stream shows the difference: part by part where this is smaller
 * than the whole. A part is a document: {@code d} has the removed fields, {@code u} the
 * updated ones, {@code i} the new ones, and {@code sNAME} the difference inside of a
 * field. The part of an array has {@code a}, the new length {@code l}, and {@code uINDEX}
 * or {@code sINDEX}.
 */
final class DocumentDelta {

	/** The size of a log entry besides the difference. */
	private static final int LOG_ENTRY_BYTES = 15;

	/** The size of a document with one unnamed field, besides the field's value. */
	private static final int FIELD_BYTES = 7;

	private final Document updated = new Document();

	private final List<String> removed = new ArrayList<>();

	private final List<Document> truncated = new ArrayList<>();

	private DocumentDelta() {
	}

	/**
	 * Describe the difference.
	 * @param before the document before
	 * @param after the document after
	 * @return the {@code updateDescription}, {@code null} if the whole document is
	 * smaller
	 */
	static @Nullable Document description(Document before, Document after) {
		Document difference = ofDocuments(before, after);
		if (size(difference) + LOG_ENTRY_BYTES >= size(after)) {
			return null;
		}
		DocumentDelta delta = new DocumentDelta();
		delta.addDocument("", difference);
		return new Document("updatedFields", delta.updated).append("removedFields", delta.removed)
			.append("truncatedArrays", delta.truncated);
	}

	private static Document ofDocuments(Document before, Document after) {
		Document updates = new Document();
		Document inside = new Document();
		List<String> names = List.copyOf(before.keySet());
		Document removals = new Document();
		Document inserts = new Document();
		int next = 0;
		for (Map.Entry<String, Object> field : after.entrySet()) {
			while (next < names.size() && !names.get(next).equals(field.getKey())) {
				removals.put(names.get(next++), false);
			}
			if (next++ < names.size()) {
				compare(field.getKey(), before.get(field.getKey()), field.getValue(), updates, inside);
			}
			else {
				inserts.put(field.getKey(), field.getValue());
			}
		}
		names.subList(Math.min(next, names.size()), names.size()).forEach((name) -> removals.put(name, false));
		// A field that comes later than before is only inserted
		inserts.keySet().forEach(removals::remove);
		Document difference = new Document();
		putUnlessEmpty(difference, "d", removals);
		putUnlessEmpty(difference, "u", updates);
		putUnlessEmpty(difference, "i", inserts);
		inside.forEach((name, part) -> difference.put("s" + name, part));
		return difference;
	}

	private static void compare(String name, @Nullable Object before, @Nullable Object after, Document updates,
			Document inside) {
		if (isIdentical(before, after)) {
			return;
		}
		Document part = part(before, after);
		if (part != null) {
			inside.put(name, part);
		}
		else {
			updates.put(name, after);
		}
	}

	private static Document ofArrays(List<?> before, List<?> after) {
		Document difference = new Document("a", true);
		if (after.size() < before.size()) {
			difference.put("l", after.size());
		}
		for (int i = 0; i < after.size(); i++) {
			if (i >= before.size()) {
				difference.put("u" + i, after.get(i));
			}
			else if (!isIdentical(before.get(i), after.get(i))) {
				Document part = part(before.get(i), after.get(i));
				difference.put(((part != null) ? "s" : "u") + i, (part != null) ? part : after.get(i));
			}
		}
		return difference;
	}

	private static @Nullable Document part(@Nullable Object before, @Nullable Object after) {
		if (before instanceof Document from && after instanceof Document to) {
			Document part = ofDocuments(from, to);
			return (size(part) < size(to)) ? part : null;
		}
		if (before instanceof List<?> from && after instanceof List<?> to) {
			Document part = ofArrays(from, to);
			return (size(part) < size(new Document("", to)) - FIELD_BYTES) ? part : null;
		}
		return null;
	}

	private static boolean isIdentical(@Nullable Object left, @Nullable Object right) {
		return ValueType.of(left) == ValueType.of(right) && Values.areEqual(left, right);
	}

	private static void putUnlessEmpty(Document target, String name, Document part) {
		if (!part.isEmpty()) {
			target.put(name, part);
		}
	}

	private static int size(Document document) {
		ByteBuf buffer = Unpooled.buffer();
		BsonEncoder.encodeDocument(document, buffer);
		return buffer.readableBytes();
	}

	private void addDocument(String path, Document difference) {
		difference.forEach((key, part) -> {
			switch (key.charAt(0)) {
				case 'd' -> ((Document) part).keySet().forEach((name) -> this.removed.add(path + name));
				case 'u', 'i' -> ((Document) part).forEach((name, value) -> this.updated.put(path + name, value));
				default -> addInside(path + key.substring(1), (Document) part);
			}
		});
	}

	private void addInside(String path, Document part) {
		if (Boolean.TRUE.equals(part.get("a"))) {
			addArray(path, part);
		}
		else {
			addDocument(path + ".", part);
		}
	}

	private void addArray(String path, Document difference) {
		difference.forEach((key, part) -> {
			switch (key.charAt(0)) {
				case 'l' -> this.truncated.add(new Document("field", path).append("newSize", part));
				case 'u' -> this.updated.put(path + "." + key.substring(1), part);
				case 's' -> addInside(path + "." + key.substring(1), (Document) part);
				default -> {
					// 'a' only says that it is an array
				}
			}
		});
	}

}
