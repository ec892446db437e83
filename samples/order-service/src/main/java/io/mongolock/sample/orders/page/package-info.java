/**
 * What the page shows of the locks, and how the instances learn of one another. Nothing
 * of it is needed to use a lock.
 */
@NullMarked
package io.mongolock.sample.orders.page;

import org.jspecify.annotations.NullMarked;
