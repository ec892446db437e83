/**
 * Opens the pages of the samples for their tests.
 */
package io.mongolock.sample.browser;
