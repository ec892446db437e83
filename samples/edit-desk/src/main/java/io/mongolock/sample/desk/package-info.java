/**
 * A web application in which people take turns on an article.
 */
@NullMarked
package io.mongolock.sample.desk;

import org.jspecify.annotations.NullMarked;
