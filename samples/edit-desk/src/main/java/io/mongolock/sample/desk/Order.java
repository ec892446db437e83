package io.mongolock.sample.desk;

import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.mapping.Document;

import io.mongolock.data.Sequence;

/**
 * An order for something the desk needs.
 *
 * @param number its number, given when it is saved
 * @param item what is ordered
 * @param version says that it is new, so that no save replaces one with its number
 */
@Document("orders")
public record Order(@Id @Sequence("order") long number, String item, @Version @Nullable Long version) {

	Order(String item) {
		this(0, item, null);
	}

}
