/**
 * {@link LockEventPublisher} is the listener that publishes events of Spring. At each
 * refresh of a context it decides whether anybody listens to grants and releases; if not,
 * it leaves them out.
 */
@NullMarked
package io.mongolock.event.spring;

import org.jspecify.annotations.NullMarked;
