package io.mongolock.data;

import java.util.Map;
import java.util.stream.Collectors;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.Lazy;

/**
 * Settings for sequences.
 *
 * @param sequenceCollection MongoDB collection of the sequences
 * @param sequences settings for sequences, by name
 */
@Lazy // an application without sequences does not need them
@ConfigurationProperties("mongo-lock")
public record MongoLockDataProperties(@DefaultValue("sequences") String sequenceCollection,
		@DefaultValue Map<String, NumberSequence> sequences) {

	/**
	 * The settings of sequences, by name.
	 */
	Map<String, SequenceSettings> sequenceSettings() {
		return this.sequences.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey,
					(one) -> new SequenceSettings(one.getValue().block(), one.getValue().start())));
	}

	/**
	 * Settings for the sequences of one name.
	 *
	 * @param block how many numbers an instance reserves with one request; those that it
	 * does not give out are a gap
	 * @param start the lowest number that is given out
	 */
	public record NumberSequence(@DefaultValue("1") int block, @DefaultValue("1") long start) {

	}

}
