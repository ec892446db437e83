package io.mongolock.sample.desk;

import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.mapping.Document;

/**
 * The person who edits an article, because the lock itself knows only the instance.
 *
 * @param article the id of the article
 * @param name the name of the editor, {@code null} if nobody ever edited
 * @param fence the number of the lock: one with another number is not the lock of this
 * editor
 */
@Document("editors")
record Editor(@Id String article, @Nullable String name, long fence) {

}
