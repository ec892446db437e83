/**
 * What a caller over HTTP is told of a lock that was not to be had.
 */
@NullMarked
package io.mongolock.web;

import org.jspecify.annotations.NullMarked;
