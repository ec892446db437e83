package io.mongolock.aspectj;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method that the aspect runs under its lock. The weaver writes it, and the
 * verification at startup, which knows it by its name, lets such methods pass.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Woven {

}
