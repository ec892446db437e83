/**
 * The types that an application uses: requests, handles, listeners and exceptions of a
 * distributed lock.
 */
@NullMarked
package io.mongolock;

import org.jspecify.annotations.NullMarked;
