/**
 * {@link LockEventPublisher} is the listener that publishes events of Spring.
 */
@NullMarked
package io.mongolock.event.spring;

import org.jspecify.annotations.NullMarked;
