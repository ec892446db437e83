/**
 * Statements that are measured and not in the product, in the package whose parts they
 * are made of.
 */
@NullMarked
package io.mongolock.store.mongo;

import org.jspecify.annotations.NullMarked;
