package io.mongolock.sample.desk;

import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.mapping.Document;

/**
 * Who edits an article, as the lock itself knows only the instance.
 *
 * @param article the id of the article
 * @param name what he is called, {@code null} if nobody ever did
 * @param fence the number of his lock: a lock with another one is not his
 */
@Document("editors")
record Editor(@Id String article, @Nullable String name, long fence) {

}
