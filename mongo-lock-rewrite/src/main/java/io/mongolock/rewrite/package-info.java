/**
 * Recipes of OpenRewrite for those who come from elsewhere.
 */
@NullMarked
package io.mongolock.rewrite;

import org.jspecify.annotations.NullMarked;
