package io.mongolock.store;

/**
 * The answer of a store to a release.
 *
 * @param ended whether the lease was there, and is over
 * @param awaited whether anybody stood in the queue, those whose place ran out included:
 * a hint
 */
public record ReleaseAnswer(boolean ended, boolean awaited) {

}
