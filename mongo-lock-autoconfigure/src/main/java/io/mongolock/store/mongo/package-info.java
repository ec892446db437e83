/**
 * The store on MongoDB; the only package that knows the driver.
 */
@NullMarked
package io.mongolock.store.mongo;

import org.jspecify.annotations.NullMarked;
