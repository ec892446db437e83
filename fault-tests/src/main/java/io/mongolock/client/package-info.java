/**
 * What the simulation needs of the package of this name in the product.
 */
@NullMarked
package io.mongolock.client;

import org.jspecify.annotations.NullMarked;
