/**
 * {@code @DistributedLock}, and how it is read.
 */
@NullMarked
package io.mongolock.annotation;

import org.jspecify.annotations.NullMarked;
