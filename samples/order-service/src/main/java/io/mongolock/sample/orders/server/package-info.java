/**
 * Which MongoDB server the application uses: the one that is configured, or else an
 * embedded one.
 */
@NullMarked
package io.mongolock.sample.orders.server;

import org.jspecify.annotations.NullMarked;
