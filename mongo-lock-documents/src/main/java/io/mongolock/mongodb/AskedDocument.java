package io.mongolock.mongodb;

import java.util.HashSet;
import java.util.Set;

import org.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * A document that notes which of its fields are asked for by name, as a creator with
 * {@code @Value("#root.title")} does. Owned by one load.
 */
@SuppressWarnings("serial") // nobody sends it anywhere
final class AskedDocument extends Document {

	private final Set<String> asked = new HashSet<>();

	AskedDocument(Document document) {
		super(document);
	}

	/**
	 * Take the fields that were asked for since the last time.
	 * @return their names
	 */
	Set<String> takeAsked() {
		Set<String> asked = Set.copyOf(this.asked);
		this.asked.clear();
		return asked;
	}

	@Override
	public @Nullable Object get(Object key) {
		note(key);
		return super.get(key);
	}

	@Override
	public <T> @Nullable T get(Object key, Class<T> type) {
		note(key);
		return super.get(key, type);
	}

	@Override
	public <T> T get(Object key, T absent) {
		note(key);
		return super.get(key, absent);
	}

	private void note(Object key) {
		this.asked.add(key.toString());
	}

}
