/**
 * {@link LockEventPublisher} publishes Spring events. At each refresh of a context it
 * checks whether there are listeners for grants and releases. Without such a listener it
 * does not publish them.
 */
@NullMarked
package io.mongolock.event.spring;

import org.jspecify.annotations.NullMarked;
