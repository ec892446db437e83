package io.mongolock.sample.desk;

import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.mapping.Document;

/**
 * The document that is edited. Its lock is a field of the document that this type need
 * not know.
 *
 * @param id its id
 * @param version how often it was changed or locked, {@code null} if it is new
 * @param title its title
 * @param text its text
 */
@Document("articles")
public record Article(@Id String id, @Version @Nullable Long version, String title, String text) {

	Article with(String title, String text) {
		return new Article(this.id, this.version, title, text);
	}

}
