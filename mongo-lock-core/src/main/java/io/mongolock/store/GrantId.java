package io.mongolock.store;

/**
 * Identifies a grant by its number. Unlike the token, the number does not prove
 * possession of the lock, so others may know it.
 *
 * @param key the key of the lock
 * @param fence the number of the grant
 */
public record GrantId(String key, long fence) {

}
