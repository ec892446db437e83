package io.mongolock.faults.harness.history;

/**
 * A fence that did not rise.
 *
 * @param key the key
 * @param fence the number of the later grant
 * @param holder to whom
 * @param before the number of an earlier grant, the same or higher
 * @param holderBefore to whom that was
 */
public record FenceFault(String key, long fence, String holder, long before, String holderBefore) {

}
