package io.mongolock.data;

import java.util.Map;
import java.util.stream.Collectors;

import org.springframework.util.Assert;

import io.mongolock.data.store.SequenceStore;

/**
 * Sequences by name. Sequences without a block need no memory here, so there may be any
 * number of names. Immutable; each block owns its numbers.
 */
final class StoredSequences implements Sequences {

	private final SequenceStore store;

	private final Map<String, ReservedNumbers> configured;

	StoredSequences(SequenceStore store, Map<String, SequenceSettings> settings) {
		this.store = store;
		this.configured = settings.entrySet()
			.stream()
			.collect(Collectors.toUnmodifiableMap(Map.Entry::getKey,
					(one) -> new ReservedNumbers(store, one.getKey(), one.getValue())));
	}

	@Override
	public long next(String name) {
		return next(name, 1).first();
	}

	@Override
	public SequenceRange next(String name, int count) {
		Assert.isTrue(count >= 1,
				() -> "Cannot take " + count + " numbers of sequence '" + name + "'. Take at least 1");
		return numbers(name).next(count);
	}

	@Override
	public void raiseTo(String name, long number) {
		Assert.isTrue(number >= 0,
				() -> "Cannot raise sequence '" + name + "' to " + number + ", because numbers are never negative");
		numbers(name).raiseTo(number);
	}

	private ReservedNumbers numbers(String name) {
		Assert.hasText(name, "The name of the sequence is empty. Give the sequence a name");
		ReservedNumbers known = this.configured.get(name);
		return (known != null) ? known : new ReservedNumbers(this.store, name, SequenceSettings.DEFAULT);
	}

}
