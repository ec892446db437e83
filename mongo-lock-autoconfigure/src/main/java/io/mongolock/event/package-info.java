/**
 * Says what happens to locks, to listeners and in the log, and holds up nobody for it.
 */
@NullMarked
package io.mongolock.event;

import org.jspecify.annotations.NullMarked;
