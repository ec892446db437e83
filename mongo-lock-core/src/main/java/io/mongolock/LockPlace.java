package io.mongolock;

/**
 * A place in the queue of a lock, as the store showed it last. Only the first waiter of
 * each JVM has a place in this queue.
 *
 * @param position the position in the queue; position 1 is granted next
 * @param length how many places the queue has, including this one
 */
public record LockPlace(int position, int length) {

}
