package io.mongolock.sample.desk;

import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.mapping.Document;

/**
 * Counts clicks.
 *
 * @param id its id
 * @param version how often it was saved, {@code null} if it is new
 * @param clicks how many there were
 */
@Document("counters")
record Counter(@Id String id, @Version @Nullable Long version, long clicks) {

	Counter click() {
		return new Counter(this.id, this.version, this.clicks + 1);
	}

}
