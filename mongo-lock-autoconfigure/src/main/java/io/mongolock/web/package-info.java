/**
 * {@link LockProblemDetails} answers callers over HTTP whose lock was held by others or
 * whose store failed.
 */
@NullMarked
package io.mongolock.web;

import org.jspecify.annotations.NullMarked;
