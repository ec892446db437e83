package io.mongolock.documents;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes plain saves and optimistic updates of a document fail while its lock is held on
 * any instance: each write checks the lock first. The type must have a {@code @Version}.
 * A lock that is granted after the check raises the version, so the save is refused even
 * then.
 * <p>
 * Deletes, updates by {@code updateFirst} and the like, replacements without an id,
 * objects of other classes (for example {@code org.bson.Document}) and writes by reactive
 * templates are not checked.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface LockGuarded {

}
