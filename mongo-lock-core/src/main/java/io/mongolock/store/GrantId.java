package io.mongolock.store;

/**
 * A grant by its number, for who may know that it was given but not prove it.
 *
 * @param key the key of the lock
 * @param fence the number of the grant
 */
public record GrantId(String key, long fence) {

}
