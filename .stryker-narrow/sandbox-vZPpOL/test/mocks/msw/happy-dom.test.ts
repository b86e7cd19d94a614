// @ts-nocheck
// @vitest-environment happy-dom
import { testAdaptersInDom } from '../../support/dom-adapters.js';

testAdaptersInDom();
