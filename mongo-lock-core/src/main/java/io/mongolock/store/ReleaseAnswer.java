package io.mongolock.store;

/**
 * The answer of a store to a release.
 *
 * @param ended whether the lease was there and has ended
 * @param awaited whether the queue had places, including places that had run out; a hint
 */
public record ReleaseAnswer(boolean ended, boolean awaited) {

}
