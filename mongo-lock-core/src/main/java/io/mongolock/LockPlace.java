package io.mongolock;

/**
 * A place in the queue of a lock as the store last showed it. Only the first in the queue
 * of each JVM stands there.
 *
 * @param position from 1, the next one to be granted
 * @param length how many stand in the queue, this place included
 */
public record LockPlace(int position, int length) {

}
