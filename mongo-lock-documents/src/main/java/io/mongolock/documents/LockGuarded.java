package io.mongolock.documents;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Has plain saves and optimistic updates of a document refused while somebody holds its
 * lock, on whatever instance: each looks first. The type must have a {@code @Version}: a
 * lock that is granted after the look raises it, so that the save is refused all the
 * same.
 * <p>
 * Deletes, updates by {@code updateFirst} and the like, replacements without an id,
 * objects of other classes (for example {@code org.bson.Document}) and writes by reactive
 * templates are not looked at.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface LockGuarded {

}
