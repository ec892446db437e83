package io.mongolock;

/**
 * A place in the line of a lock as the store last told it. Only the first in line of each
 * JVM stands there.
 *
 * @param position from 1, the next one to be granted
 * @param length how many stand in line, this place included
 */
public record LockPlace(int position, int length) {

}
