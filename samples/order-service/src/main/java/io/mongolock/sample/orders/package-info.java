/**
 * A web application whose instances take turns on an order.
 */
@NullMarked
package io.mongolock.sample.orders;

import org.jspecify.annotations.NullMarked;
